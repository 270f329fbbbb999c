"""Bodies are bounded while they arrive."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import ApiError, respond


class BodyLimit:
    """Refuses more than `max_bytes`, announced or not: a chunked body is counted as it comes in."""

    def __init__(self, app: ASGIApp, max_bytes: int, larger: Mapping[str, int] | None = None) -> None:
        """`larger`: other bounds, by the end of a path."""
        self._app = app
        self._max_bytes = max_bytes
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = str(scope["path"])
        most = next((bytes_ for end, bytes_ in self._larger.items() if path.endswith(end)), self._max_bytes)
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > most:
            await respond(self._too_large(most), scope["state"]["request_id"])(scope, receive, send)
            return
        seen = 0

        async def receive_bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise self._too_large(most)
            return message

        await self._app(scope, receive_bounded, send)

    def _too_large(self, most: int) -> ApiError:
        return ApiError(413, "too_large", f"The request is larger than {most} bytes. Send less.")
