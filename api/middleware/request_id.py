"""An id for every request, on the response and in the log."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.observe.log_context import logged_as

log = logging.getLogger("handrail.access")

SANE = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestId:
    """Keeps a caller's own X-Request-ID when it is 8 to 64 plain characters.

    `new_id` makes the others; `clock` returns seconds. The log has the path, never the query or the body.
    """

    def __init__(self, app: ASGIApp, new_id: Callable[[], str], clock: Callable[[], float]) -> None:
        self._app = app
        self._new_id = new_id
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if SANE.fullmatch(given) else self._new_id()
        scope.setdefault("state", {})["request_id"] = request_id
        start, status = self._clock(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        with logged_as(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_id)
            finally:
                ms = round((self._clock() - start) * 1000)
                fields = {"method": scope["method"], "path": scope["path"], "status": status, "ms": ms}
                log.info("%s %s %s %s ms", *fields.values(), extra={"fields": fields})
