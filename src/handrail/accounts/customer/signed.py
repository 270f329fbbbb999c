"""Context the host page passes on from its server: signed with the operator's secret, for a limited time."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping

from handrail.accounts.customer import cleaned

LONGEST_TOKEN = 4000
LONGEST_LIFE_S = 86_400.0
PURPOSE = b"handrail-context."


def sign(secret: str, context: Mapping[str, str | float], until: float, conversation_id: str | None = None) -> str:
    """A token that holds `context` until then (seconds since the epoch), for one conversation or for any."""
    payload: dict[str, object] = {"exp": int(until), "context": dict(context)}
    if conversation_id is not None:
        payload["conversation_id"] = conversation_id
    body = _encoded(json.dumps(payload, separators=(",", ":")).encode())
    return f"{body}.{_encoded(_digest(secret, body))}"


def read(secret: str, token: str, now: float, conversation_id: str) -> dict[str, str | float]:
    """The context of a good token; nothing where it is forged, expired, too long-lived or another conversation's."""
    body, _, signature = token.partition(".")
    if len(token) > LONGEST_TOKEN or not token.isascii():
        return {}
    try:
        if not hmac.compare_digest(_digest(secret, body), _decoded(signature)):
            return {}
        payload = json.loads(_decoded(body))
        expires = payload["exp"]
    except (binascii.Error, ValueError, KeyError, TypeError, RecursionError):
        return {}
    if isinstance(expires, bool) or not isinstance(expires, int | float):
        return {}
    if not now < expires <= now + LONGEST_LIFE_S:
        return {}
    if payload.get("conversation_id") not in (None, conversation_id):
        return {}
    return cleaned(payload.get("context"))


def _digest(secret: str, body: str) -> bytes:
    return hmac.new(secret.encode(), PURPOSE + body.encode(), hashlib.sha256).digest()


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
