"""Visitor tokens: who a visitor is, for a quarter of an hour, signed so that nobody can make one up."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from handrail.errors import HandrailError

VALID_S = 900
ROTATES_S = 30 * 86_400
"""How long after it has run out a token still gets its visitor a new one."""


class BadToken(HandrailError):
    """The token is not ours, too old, or was exchanged; `expired` when a new one can be had for it."""

    def __init__(self, *, expired: bool) -> None:
        super().__init__("the visitor token has run out" if expired else "the visitor token is not valid")
        self.expired = expired


@dataclass(frozen=True, slots=True)
class VisitorToken:
    """What a token says. Each exchange raises the generation by one."""

    visitor_id: str
    generation: int
    expires: int


@dataclass(frozen=True, slots=True)
class TokenSigner:
    """Signs with `secret`, which all processes share."""

    secret: bytes

    def issue(self, visitor_id: str, now: float, generation: int = 0) -> str:
        """The same arguments give the same token."""
        content = {"v": visitor_id, "e": int(now) + VALID_S, "g": generation}
        payload = _text(json.dumps(content).encode())
        return f"{payload}.{self._signature(payload)}"

    def read(self, token: str) -> VisitorToken:
        """Whatever its age. Raises BadToken."""
        payload, _, signature = token.partition(".")
        if not token.isascii() or not hmac.compare_digest(signature, self._signature(payload)):
            raise BadToken(expired=False)
        try:
            content = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
            return VisitorToken(str(content["v"]), int(content.get("g", 0)), int(content["e"]))
        except (binascii.Error, ValueError, KeyError, TypeError):
            raise BadToken(expired=False) from None

    def _signature(self, payload: str) -> str:
        return _text(hmac.new(self.secret, b"visitor:" + payload.encode(), sha256).digest())


def new_visitor_id() -> str:
    return uuid4().hex


def load_secret(data_dir: Path, given: str | None) -> bytes:
    """The operator's secret, or one made once and kept in the data folder."""
    if given:
        return sha256(given.encode()).digest()
    path = data_dir / "secret.key"
    data_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        # Linked when it is complete, so that of several processes that start at once all read the same one.
        own = path.with_name(f"secret.{uuid4().hex}")
        own.touch(mode=0o600)
        own.write_text(secrets.token_hex(32))
        with suppress(FileExistsError):
            path.hardlink_to(own)
        own.unlink()
    return sha256(path.read_bytes()).digest()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
