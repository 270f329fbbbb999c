"""What routes need, made once per process and handed to them by the application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from api.errors import BY_STATUS, ApiError, busy
from api.startup import Startup
from handrail.handoff.availability import Rota
from handrail.handoff.desk import Desk
from handrail.limits.build import Limits
from handrail.limits.visitor import visitor_of
from handrail.records.database import Database
from handrail.records.once import Once
from handrail.settings import Settings
from handrail.streams.running import Streams
from handrail.types import Question, Turn
from handrail.watch import TurnWatch


class Assistant(Protocol):
    """What answers; slow to start, and started in the background."""

    @property
    def ready(self) -> bool: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn: ...

    def readiness(self) -> dict[str, str]:
        """`ok`, `loading` or a problem for each part."""
        ...


class Slots:
    """A bound on turns worked on at once; there is no queue, because a visitor would rather know."""

    def __init__(self, count: int) -> None:
        self._free = count

    @contextmanager
    def one(self) -> Iterator[None]:
        """Raises the `busy` refusal when all are taken."""
        if self._free <= 0:
            raise busy()
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    assistant: Assistant
    startup: Startup
    limits: Limits
    database: Database
    once: Once
    desk: Desk
    rota: Rota
    turns: Slots
    streams: Streams


def json_only(request: Request) -> None:
    """Bodies are JSON in UTF-8; anything else is refused before it is looked at."""
    media, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    charset = parameters.strip().removeprefix("charset=").strip('"')
    if media.strip() != "application/json" or charset not in ("", "utf-8", "utf8"):
        raise ApiError(415, *BY_STATUS[415])


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def _visitor(request: Request) -> str:
    trusted = request.app.state.services.settings.server.trusted_proxies
    peer = request.client.host if request.client else None
    return visitor_of(peer, request.headers.getlist("x-forwarded-for"), trusted)


Needed = Annotated[Services, Depends(_services)]
Visitor = Annotated[str, Depends(_visitor)]
"""Whom to count the request for; never stored or logged in clear."""
