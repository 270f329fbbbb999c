"""What conversations and the desk need, made once per process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from handrail.accounts.api_keys import ApiKeys
from handrail.accounts.attempts import build_attempts
from handrail.accounts.known_browser import KnownBrowsers
from handrail.accounts.limits.build import Limits
from handrail.accounts.oidc import Oidc
from handrail.accounts.proof_of_work import ProofOfWork
from handrail.accounts.rotation import VisitorTokens
from handrail.accounts.second_factor import SecondFactors
from handrail.accounts.sessions import WINDOW_S, SignIn
from handrail.accounts.visitor_token import TokenSigner, load_secret
from handrail.desk.handoff.availability import Rota
from handrail.desk.handoff.conversations import Conversations, Expected
from handrail.desk.handoff.live import Hub
from handrail.desk.handoff.names import Names
from handrail.desk.handoff.presence import Presence
from handrail.desk.outbox.alerts import QueueAlerts
from handrail.desk.outbox.visitor_mail import VisitorMail
from handrail.desk.pausing import Pausing
from handrail.errors import HandrailError
from handrail.records.api_keys import ApiKeyRecords
from handrail.records.conversations import ConversationRecords
from handrail.records.database import Database
from handrail.records.desk_book import DeskBook
from handrail.records.evidence import EvidenceRecords
from handrail.records.handoffs import HandoffRecords
from handrail.records.lists import ConversationLists
from handrail.records.mail import MailRecords
from handrail.records.outbox import OutboxRecords
from handrail.records.pauses import Pauses
from handrail.records.people import People
from handrail.records.second_factors import SecondFactorRecords
from handrail.records.visitor_tokens import VisitorTokenRecords
from handrail.records.visitors import VisitorRecords
from handrail.settings import Settings
from handrail.turn.wording import load_wording

log = logging.getLogger("handrail.desk")

Clock = Callable[[], float]


@dataclass
class Later:
    """Work that a response need not wait for; it is finished before the process ends."""

    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def do(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        while self._tasks:
            await asyncio.gather(*self._tasks)


@dataclass(frozen=True, slots=True)
class Talks:
    """Conversations as questions and visitors' reads use them: over other connections than the desk's."""

    conversations: Conversations
    evidence: EvidenceRecords
    pausing: Pausing


@dataclass(frozen=True, slots=True)
class DeskServices:
    """For hand-offs and people at the desk, over connections that questions cannot use up."""

    conversations: Conversations
    evidence: EvidenceRecords
    talks: Talks
    book: DeskBook
    people: People
    visitors: VisitorRecords
    outbox: OutboxRecords
    sign_in: SignIn
    factors: SecondFactors
    oidc: Oidc | None
    """None where no provider is set up."""
    tokens: VisitorTokens
    proof: ProofOfWork
    """What a browser does before it becomes a visitor."""
    keys: ApiKeys
    """Of programs."""
    mail: VisitorMail
    handoffs: HandoffRecords
    pauses: Pauses
    hub: Hub
    presence: Presence
    later: Later
    clock: Clock


def build_desk(settings: Settings, database: Database, limits: Limits, clock: Clock) -> tuple[DeskServices, Rota]:
    hub, tenant = Hub(limits.keys, limits.redis), limits.keys.tenant
    apart = database.apart
    people, book = People(apart, tenant), DeskBook(apart, tenant)
    brand = settings.brand

    presence, lists = Presence(hub, clock), ConversationLists(apart, tenant)
    rota = Rota(settings, clock, presence, lists, tenant)

    async def expectation(lang: str) -> Expected:
        there = await rota.people()
        words = load_wording(brand.name).into(lang, there)
        return Expected(words.expectation(brand.person_expectation), there.wait_s)

    outbox = OutboxRecords(database, tenant)
    names, alerts = Names(people, clock), QueueAlerts(outbox, settings.alerts)

    def conversations(over: Database) -> Conversations:
        records = ConversationRecords(over, tenant, [alerts], [alerts.noticed])
        listed = ConversationLists(over, tenant)
        return Conversations(records, listed, hub, names, clock, brand.name, expectation)

    given = settings.desk.secret
    secret = load_secret(settings.storage.data_dir, given.get_secret_value() if given else None)
    attempts = build_attempts(limits.redis, limits.keys, WINDOW_S, clock)
    factors = SecondFactors(SecondFactorRecords(apart, tenant), brand.name, clock)
    services = DeskServices(
        conversations=conversations(apart),
        evidence=EvidenceRecords(apart, tenant),
        talks=Talks(conversations(database), EvidenceRecords(database, tenant), Pausing(Pauses(database, tenant))),
        book=book,
        people=people,
        visitors=VisitorRecords(database, tenant),
        outbox=outbox,
        sign_in=SignIn(people, book, clock, settings.desk, attempts, KnownBrowsers(secret), factors),
        factors=factors,
        oidc=Oidc(settings.oidc, secret, clock) if settings.oidc.issuer else None,
        tokens=VisitorTokens(TokenSigner(secret), VisitorTokenRecords(apart, tenant), clock),
        proof=ProofOfWork(secret, settings.limits.proof_of_work, clock),
        keys=ApiKeys(ApiKeyRecords(database, tenant), tenant, clock),
        mail=VisitorMail(MailRecords(apart, tenant), outbox, settings, secret, clock),
        handoffs=HandoffRecords(apart, tenant),
        pauses=Pauses(apart, tenant),
        hub=hub,
        presence=presence,
        later=Later(),
        clock=clock,
    )
    return services, rota


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    try:
        await work
    except HandrailError as error:
        log.warning("%s; this isn't recorded", error)
    except Exception:
        log.exception("something after a response failed")
