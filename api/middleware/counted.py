"""Every request in the metrics: by route, method and status, and how long its response took to begin."""

from __future__ import annotations

from collections.abc import Callable

from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.observe.metrics import OTHER, Metrics

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Counted:
    """Outside of everything that may refuse a request; `clock` returns seconds.

    A route is counted by its template, so no id that somebody sent is ever a label. Streams stay open for as long as
    somebody follows them, so what is timed is the way to the first byte.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, clock: Callable[[], float]) -> None:
        self._app = app
        self._metrics = metrics
        self._clock = clock
        self._templates: dict[int, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, began = self._clock(), False

        def count(status: int) -> None:
            nonlocal began
            began = True
            method = scope["method"] if scope["method"] in METHODS else OTHER
            self._metrics.responded(self._template(scope), method, status, self._clock() - start)

        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                count(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_and_count)
        finally:
            if not began:  # it broke down before it could say anything, or was cancelled
                count(500)

    def _template(self, scope: Scope) -> str:
        """`/conversations/{conversation_id}`; files and addresses that don't exist are all the same."""
        if not self._templates:
            contexts = iter_route_contexts(scope["app"].routes)
            self._templates = {id(one.original_route): str(one.path) for one in contexts if one.path}
        return self._templates.get(id(scope.get("route")), OTHER)
