"""Bodies are bounded while they arrive, in size and in time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import ApiError, respond


class BodyLimit:
    """Refuses more than `max_bytes`, announced or not: a chunked body is counted as it comes in.

    What may be `max_bytes` long has to arrive within `seconds`, and what may be longer within as many more: a few
    connections that send a byte now and then would hold up others.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, seconds: float, larger: Mapping[str, int] | None = None) -> None:
        """`larger`: other bounds, by the end of a path."""
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds
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
        seen, whole = 0, False
        seconds = self._seconds * max(1.0, most / self._max_bytes)
        until = asyncio.get_running_loop().time() + seconds

        async def receive_bounded() -> Message:
            nonlocal seen, whole
            try:
                async with asyncio.timeout_at(None if whole else until):
                    message = await receive()
            except TimeoutError:
                raise self._too_slow(seconds) from None
            whole = not message.get("more_body", False)
            seen += len(message.get("body", b""))
            if seen > most:
                raise self._too_large(most)
            return message

        await self._app(scope, receive_bounded, send)

    def _too_large(self, most: int) -> ApiError:
        return ApiError(413, "too_large", f"The request is larger than {most} bytes. Send less.")

    def _too_slow(self, seconds: float) -> ApiError:
        error = ApiError(408, "too_slow", f"The request took longer than {seconds:g} seconds. Send it again.")
        error.headers = {"Connection": "close"}
        return error
