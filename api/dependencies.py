"""What routes need, made once per process and handed to them by the application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from fastapi import Depends, Header, Request

from api.condition import Condition
from api.desk import DeskServices
from api.errors import BY_STATUS, ApiError, busy, rate_limited
from api.startup import Startup
from handrail.accounts.api_keys import BadKey, Scope, is_key
from handrail.accounts.limits import Denied
from handrail.accounts.limits.build import Limits
from handrail.accounts.limits.open_streams import OpenStreams
from handrail.accounts.limits.visitor import visitor_of
from handrail.accounts.visitor_token import BadToken
from handrail.conversation.streams.running import Streams
from handrail.desk.handoff.availability import Rota
from handrail.desk.handoff.desk import Desk
from handrail.llm.health import Problem
from handrail.observe.record import TurnRecord
from handrail.observe.recorder import Sink
from handrail.observe.trace_queue import TraceQueue
from handrail.records.database import Database
from handrail.records.once import Once
from handrail.records.traces import TraceRecords
from handrail.settings import Settings
from handrail.turn.watch import TurnWatch
from handrail.types import Question, Turn

if TYPE_CHECKING:
    from pydantic_ai.models.decision import DecisionModel


class Assistant(Protocol):
    """What answers; slow to start, and started in the background."""

    @property
    def ready(self) -> bool: ...

    def trace_to(self, sink: Sink) -> None:
        """Give the traces of all turns to `sink`, too; called before `start`."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def foresee(self, question: Question) -> None:
        """`ask` will be called with this question in a moment."""
        ...

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn: ...

    async def replay(self, question: Question) -> TurnRecord:
        """How a turn comes about now; it leaves nothing behind. Raises RetryableError before it is ready."""
        ...

    async def remembers(self, conversation_id: str) -> bool:
        """Whether anything of a conversation is known to its next turn."""
        ...

    async def remember_unanswered(self, question: Question) -> None:
        """A message that went to a person: known to the turns after the conversation is handed back."""
        ...

    async def remember_agent_reply(self, conversation_id: str, text: str) -> None:
        """What a person wrote to the visitor."""
        ...

    async def unsay(self, turn: Turn) -> None:
        """A turn's answer was not delivered: later turns do not know it."""
        ...

    async def rated_down(self, turn_id: str) -> None:
        """A visitor found the answer of this turn wrong: no other turn gives it again."""
        ...

    async def page_image(self, passage_id: str, name: str) -> bytes | None:
        """The picture of a page, as WebP, while a passage that everyone may read stands on it; None otherwise.

        Raises RetryableError before it is ready.
        """
        ...

    async def forget(self, conversation_id: str) -> None:
        """Nothing said in this conversation is known to later turns."""
        ...

    async def decision_model(self) -> DecisionModel[Any]:
        """What answers typed decisions. Raises RetryableError before it is loaded."""
        ...

    def readiness(self) -> dict[str, str]:
        """`ok`, `loading` or a problem for each part."""
        ...

    def problems(self) -> Sequence[Problem]:
        """What language models fail at, the oldest first."""
        ...

    def queued(self) -> int:
        """Texts that wait for a local model, because somebody waits for a turn."""
        ...


class Slots:
    """A bound on turns worked on at once; there is no queue, because a visitor would rather know."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.taken = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Raises the `busy` refusal when all are taken."""
        if self.taken >= self._count:
            raise busy()
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    assistant: Assistant
    startup: Startup
    limits: Limits
    database: Database
    once: Once
    requests: Desk
    """Where requests for a person are put on record."""
    desk: DeskServices
    rota: Rota
    traces: TraceRecords
    trace_queue: TraceQueue | None
    """None where traces aren't kept."""
    turns: Slots
    streams: Streams
    followers: OpenStreams
    """Streams that visitors have open."""
    desk_followers: OpenStreams
    """Streams that agents have open."""
    condition: Condition


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


@dataclass(frozen=True, slots=True)
class Asker:
    """Who writes: where from, for the limits, and which visitor, where he has a token."""

    address: str
    visitor_id: str | None
    key_id: str | None = None
    """Of the API key that a program has shown. What it begins belongs to the key."""
    shown: str | None = field(default=None, repr=False)
    """The token or key itself."""

    @property
    def bounded_as(self) -> str | None:
        """Whom questions are counted for; a program has its key's own bound, and that of everybody."""
        return self.address if self.key_id is None else None


async def _asker(
    request: Request,
    address: Annotated[str, Depends(_visitor)],
    authorization: Annotated[
        str | None,
        Header(
            max_length=600, description="`Bearer` and the visitor's token from `POST /visitor`, or a program's API key."
        ),
    ] = None,
) -> Asker:
    """Raises BadToken and BadKey, and ApiError where the limits of the address are used up."""
    services: Services = request.app.state.services
    wanted = services.settings.server.api_keys
    scheme, _, given = (authorization or "").partition(" ")
    token = given.strip() if scheme.lower() == "bearer" else ""
    if wanted != "off" and (is_key(token) or wanted == "required"):
        # Whatever it is, it is looked up, and that counts as a read.
        await count_read(services, Asker(address, None))
        key_id = await services.desk.keys.check(token, Scope.ASK)
        return Asker(address, f"key:{key_id}", key_id, token)
    if authorization is None:
        return Asker(address, None)
    if scheme.lower() != "bearer":
        raise BadToken(expired=False)
    return Asker(address, await services.desk.tokens.visitor(token), shown=token)


async def still_known(services: Services, asker: Asker) -> bool:
    """Whether a request with the same token or key would still be taken. Raises RecordsUnavailable."""
    if asker.shown is None:
        return True
    try:
        if asker.key_id is not None:
            await services.desk.keys.check(asker.shown, Scope.ASK)
        else:
            await services.desk.tokens.visitor(asker.shown)
    except (BadKey, BadToken):
        return False
    return True


Needed = Annotated[Services, Depends(_services)]
Visitor = Annotated[str, Depends(_visitor)]
"""Whom to count the request for; never stored or logged in clear."""

WhoAsks = Annotated[Asker, Depends(_asker)]


async def counted(services: Needed, asker: WhoAsks) -> None:
    """A read, refused before anything is looked up for it."""
    if asker.key_id is None:
        await count_read(services, asker)


async def counted_by_address(services: Needed, address: Visitor) -> None:
    """The same where no token is asked for, and an old one does not matter."""
    await count_read(services, Asker(address, None))


async def count_read(services: Services, asker: Asker) -> None:
    verdict = await services.limits.reads.hit(asker.address, asker.visitor_id)
    if isinstance(verdict, Denied):
        raise rate_limited(verdict.retry_after_s, verdict.scope)


async def following(services: Needed, asker: WhoAsks) -> AsyncIterator[None]:
    """Holds one of the streams that a visitor may have open until the response has ended. Raises TooManyStreams."""
    with services.followers.one(asker.visitor_id if asker.key_id is None else None, asker.address):
        yield
