"""Browsers from which somebody has signed in before.

Whoever guesses passwords of an account from many addresses uses up what the account may have tried, and would keep its
owner out for as long as the guessing goes on. A browser that has signed in to it is known by a cookie and counted apart
(the device cookies of OWASP's guide to blocking brute force): its owner still gets in.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256

VALID_S = 180 * 86_400


@dataclass(frozen=True, slots=True)
class KnownBrowsers:
    """Signs with `secret`, which all processes share."""

    secret: bytes

    def mark(self, email: str, now: float) -> str:
        """What a browser keeps that has just signed in as `email`; it says nothing about anybody."""
        about = f"{secrets.token_urlsafe(12)}.{int(now) + VALID_S}"
        return f"{about}.{self._signature(about, email)}"

    def name(self, mark: str | None, email: str, now: float) -> str | None:
        """Which browser it is, if it has signed in as `email` in the last months."""
        about, _, signature = (mark or "").rpartition(".")
        name, _, until = about.rpartition(".")
        if not about.isascii() or not hmac.compare_digest(signature.encode(), self._signature(about, email).encode()):
            return None
        return name if int(until) >= now else None

    def _signature(self, about: str, email: str) -> str:
        return hmac.new(self.secret, f"browser:{about}:{email}".encode(), sha256).hexdigest()
