"""A typed answer when the application broke down, and one line when it can't even start."""

from __future__ import annotations

import logging
import sys

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import BY_STATUS, ApiError, respond
from handrail.errors import HandrailError

log = logging.getLogger("handrail.failure")


class Failure:
    """Innermost, so that its response gets the id, the headers and CORS like every other."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, _in_a_line(send))
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except Exception:
            request_id = scope["state"]["request_id"]
            log.exception("request %s failed", request_id)
            if started:
                raise
            await respond(ApiError(500, *BY_STATUS[500]), request_id)(scope, receive, send)


def _in_a_line(send: Send) -> Send:
    """Starlette tells the server a whole traceback, also of what was raised for the operator to read."""

    async def told(message: Message) -> None:
        error = sys.exc_info()[1]
        if message["type"] == "lifespan.startup.failed" and isinstance(error, HandrailError):
            message = {**message, "message": f"cannot start: {error}"}
        await send(message)

    return told
