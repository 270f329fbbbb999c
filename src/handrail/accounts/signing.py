"""Signatures with a shared secret: HMAC-SHA256 over a moment and a body, as in `t=1795428000,v1=5f3a…`."""

from __future__ import annotations

import hashlib
import hmac
import re

HEADER = "X-Handrail-Signature"
SIGNATURE = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")
TOLERANCE_S = 300.0


def sign(secret: str, body: bytes, now: float) -> str:
    """The header for `body`; `now` is in seconds since the epoch."""
    moment = int(now)
    return f"t={moment},v1={_digest(secret, moment, body)}"


def verified(secret: str, header: str, body: bytes, now: float, tolerance_s: float = TOLERANCE_S) -> bool:
    """Whether `header` is a signature of `body` that is not older or newer than `tolerance_s` seconds."""
    match = SIGNATURE.fullmatch(header)
    if match is None or abs(now - int(match[1])) > tolerance_s:
        return False
    return hmac.compare_digest(_digest(secret, int(match[1]), body), match[2])


def _digest(secret: str, moment: int, body: bytes) -> str:
    return hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
