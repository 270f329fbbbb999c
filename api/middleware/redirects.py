"""Redirects to ourselves, from behind a proxy that ends TLS or calls us by another name."""

from __future__ import annotations

from starlette.datastructures import URL, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class OwnRedirects:
    """Name the path alone: by which scheme and host a browser came, it knows best."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_by_path(message: Message) -> None:
            if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
                headers, own = MutableHeaders(scope=message), URL(scope=scope)
                led = URL(headers.get("location", ""))
                if own.netloc and (led.scheme, led.netloc) == (own.scheme, own.netloc):
                    path = "/" + led.path.lstrip("/")  # two slashes would begin the name of another host
                    headers["Location"] = str(led.replace(scheme="", netloc="", path=path))
            await send(message)

        await self._app(scope, receive, send_by_path if scope["type"] == "http" else send)
