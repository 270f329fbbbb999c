"""Bodies are bounded while they arrive."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import ApiError, respond


class BodyLimit:
    """Refuses more than `max_bytes`, announced or not: a chunked body is counted as it comes in."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > self._max_bytes:
            await respond(self._too_large(), scope["state"]["request_id"])(scope, receive, send)
            return
        seen = 0

        async def receive_bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                raise self._too_large()
            return message

        await self._app(scope, receive_bounded, send)

    def _too_large(self) -> ApiError:
        return ApiError(413, "too_large", f"The request is larger than {self._max_bytes} bytes. Send less.")
