"""A typed answer when the application broke down."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import BY_STATUS, ApiError, respond

log = logging.getLogger("handrail.failure")


class Failure:
    """Innermost, so that its response gets the id, the headers and CORS like every other."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
