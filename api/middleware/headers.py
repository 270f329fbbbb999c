"""Response headers that keep pages and answers from being misused."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NOTHING = "default-src 'none'; frame-ancestors 'none'"
PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "require-trusted-types-for 'script'"
)
POWERS = "camera=(), microphone=(), geolocation=(), payment=(), usb=()"
A_YEAR = "max-age=31536000"
"""Without `includeSubDomains`: what else the operator runs there is not ours to decide."""


class SecurityHeaders:
    """Pages get a strict Content-Security-Policy, everything else may not be a page at all.

    `proxied` where a proxy in front is believed, also when it says that the visitor came over TLS.
    """

    def __init__(self, app: ASGIApp, proxied: bool = False) -> None:
        self._app = app
        self._proxied = proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # A 304 updates the headers of the stored page: it must not bring another policy.
                unchanged = message["status"] == 304
                is_page = headers.get("content-type", "").startswith("text/html")
                if not unchanged:
                    headers.setdefault("Content-Security-Policy", PAGE if is_page else NOTHING)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "strict-origin-when-cross-origin")
                headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
                headers.setdefault("Permissions-Policy", POWERS)
                if encrypted(scope, self._proxied):
                    headers.setdefault("Strict-Transport-Security", A_YEAR)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)


def encrypted(scope: Scope, proxied: bool) -> bool:
    """Over TLS here, or at the proxy in front whose word is taken."""
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "") if proxied else ""
    return scope.get("scheme") == "https" or forwarded.split(",")[-1].strip() == "https"
