"""What a turn needs whichever way it is answered: read, admitted, run."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import uuid4

from api.dependencies import Asker, Services
from api.errors import ApiError, rate_limited
from api.schemas import AskRequest
from api.withdrawing import Withdrawing
from handrail.accounts.customer import cleaned, signed
from handrail.accounts.limits import Denied
from handrail.accounts.limits.budget import Reservation, Unbounded
from handrail.desk.handoff.concern import concerns_of
from handrail.desk.handoff.conversations import Begun
from handrail.llm.meter import metering
from handrail.records import RecordsUnavailable
from handrail.records.turns import Response, TurnKey
from handrail.settings import Settings
from handrail.text import guard, language
from handrail.text.redact import redact
from handrail.turn import outcome
from handrail.turn.present import response
from handrail.turn.watch import TurnWatch
from handrail.turn.wording import load_wording
from handrail.types import Classification, Label, Outcome, Question, RefusalReason, Turn
from handrail.types.people import NOBODY as NO_PEOPLE
from handrail.types.usage import NOTHING

Given = TypeVar("Given")

log = logging.getLogger("handrail.turns")

NOT_READY_RETRY_S = 5
DEFAULT_LANGUAGE = "en"
PERSON = Classification(Label.ANSWERABLE, 1.0, "rule")
"""What a message to a person is taken for: it is not looked at."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A message that is taken."""

    reserved: Reservation
    """What its answer may cost."""
    paused: bool
    """Whether it is told that the assistant is paused. Answers that are under way when a pause begins are finished."""


def read(body: AskRequest, settings: Settings) -> tuple[Question, TurnKey]:
    """The question, cleaned, and what makes it the same one when it is sent again. Raises TextRefused."""
    text = guard.clean(body.question, settings.server.max_question_chars)
    conversation_id = body.conversation_id or uuid4().hex
    question = Question(
        text=text,
        conversation_id=conversation_id,
        turn_id=str(body.turn_id or uuid4()),
        lang=body.lang or DEFAULT_LANGUAGE,
        filters=body.chosen_by,
        suspicious=guard.suspicious(text),
        context=proven(body.context_token, settings, conversation_id),
        said=cleaned(body.context),
        follows=body.branches_from,
    )
    key = TurnKey(
        turn_id=question.turn_id,
        conversation_id=question.conversation_id,
        conversation_given=body.conversation_id is not None,
        fingerprint=_fingerprint(question),
    )
    return question, key


async def admit(services: Services, question: Question, key: TurnKey, asker: Asker) -> Admitted:
    """Count the message, and reserve what its answer may cost; what is refused here is not counted.

    What is admitted is to be handed to `answer`, or its reservation settled. Raises ApiError, Foreign and
    LimitsUnavailable.

    A message to a person is no question: it is taken while the assistant starts, and when questions are used up. So
    is one to an assistant that is paused; programs, which write for many, are then bounded by their reads alone.
    The models begin to read a question while the rest of its turn is prepared.
    """
    paused = await services.desk.talks.pausing.paused()
    if await _to_person(services, question, key, asker):
        _check(await services.limits.messages.hit(asker.address))
        return Admitted(Unbounded(), paused)
    if not (paused or services.assistant.ready or services.startup.incomplete):
        raise ApiError(
            503,
            "not_ready",
            "The assistant is still starting. Please try again in a few seconds.",
            retry_after_s=NOT_READY_RETRY_S,
        )
    if asker.visitor_id is None and services.desk.proof.most:
        raise ApiError(401, "token_needed", "Send a visitor token. POST /visitor says how to get one.")
    if paused:
        if asker.key_id is None:
            _check(await services.limits.messages.hit(asker.address))
        return Admitted(Unbounded(), paused)
    await _count(services, asker)
    try:
        reserved = _check(await services.limits.budget.reserve(asker.bounded_as))
    except BaseException:
        await asyncio.shield(_uncount(services, asker))
        raise
    if services.assistant.ready:
        services.assistant.foresee(question)
    return Admitted(reserved, paused)


async def _count(services: Services, asker: Asker) -> None:
    """Count a question. Raises ApiError and LimitsUnavailable, and RecordsUnavailable for a program's."""
    keys = services.desk.keys
    if asker.key_id is not None:
        _check(await keys.count(asker.key_id))
    try:
        _check(await services.limits.questions.hit(asker.bounded_as))
    except BaseException:
        if asker.key_id is not None:
            await asyncio.shield(keys.give_back(asker.key_id))
        raise


async def _uncount(services: Services, asker: Asker) -> None:
    """It was refused after all."""
    if asker.key_id is not None:
        await services.desk.keys.give_back(asker.key_id)
    await services.limits.questions.give_back(asker.bounded_as)


def _check(verdict: Given | Denied) -> Given:
    """Raises ApiError for what is refused."""
    if isinstance(verdict, Denied):
        raise rate_limited(verdict.retry_after_s, verdict.scope)
    return verdict


async def may_follow(services: Services, turn_id: str, asker: Asker) -> None:
    """A turn is found by the visitor of its conversation only; by anybody who knows its id where that has none.

    Raises Foreign, and RecordsUnavailable while it cannot be told whose the turn is.
    """
    conversation_id = await services.once.conversation(turn_id)
    if conversation_id is not None:
        await services.desk.talks.conversations.owned_by_person(conversation_id, asker.visitor_id)


async def answer(
    services: Services, question: Question, asker: Asker, admitted: Admitted, watch: TurnWatch | None = None
) -> Response:
    """Run the turn and settle what it cost; the response as `/ask` sends it.

    What a model took that was interrupted isn't known: all that was reserved counts.
    """
    with metering() as meter:
        try:
            result = await _answer(services, question, asker, watch, paused=admitted.paused)
        except BaseException:
            await asyncio.shield(admitted.reserved.settle(None if meter.requests else NOTHING))
            raise
    await asyncio.shield(admitted.reserved.settle(meter.usage))
    return result


async def _answer(
    services: Services,
    question: Question,
    asker: Asker,
    watch: TurnWatch | None = None,
    *,
    paused: bool,
    to_person: bool = False,
) -> Response:
    """Knows who is at the desk.

    Who answers is read before anything is done, and again before the answer is delivered: what the assistant wrote
    while a person took over reaches nobody. Evidence is recorded after the response. What goes `to_person` waits
    behind no question for its place in the records.
    """
    begun = await _begun(services, question, asker, to_person)
    if begun is not None and begun.instead is not None:
        await services.assistant.remember_unanswered(question)
        return _handed_off(services, question, begun.instead)
    if begun is not None and begun.first:
        await services.assistant.forget(question.conversation_id)  # its records may have been deleted meanwhile
    elif begun is not None and not await services.assistant.remembers(question.conversation_id):
        question = replace(question, earlier=await _earlier(services, question))
    question = replace(question, people=await services.rota.people())
    shown = Withdrawing(watch) if watch is not None else None
    if paused or services.startup.incomplete:
        reason = RefusalReason.PAUSED if paused else RefusalReason.PROVIDER_UNAVAILABLE
        turn = _turn(question, _unavailable(services.settings, question, reason), "static")
    else:
        turn = await services.assistant.ask(question, shown)
    instead = await _delivered(services, turn, begun)
    if instead is not None:
        await services.assistant.unsay(turn)
        if shown is not None:
            await shown.withdraw()
        return _handed_off(services, turn.question, instead)
    return _recorded(services, turn)


async def to_person(services: Services, question: Question, key: TurnKey, asker: Asker) -> Response | None:
    """What is said to a message that goes to a person; None when it is the assistant's, or was answered before.

    Such a message waits for no earlier turn, of a process that has died for instance: its id alone keeps it from
    being recorded twice. Raises ApiError, Foreign and LimitsUnavailable.
    """
    if not await _to_person(services, question, key, asker):
        return None
    if await services.once.stored(question.turn_id) is not None:
        return None
    admitted = await admit(services, question, key, asker)
    return await _answer(services, question, asker, paused=admitted.paused, to_person=True)


async def _to_person(services: Services, question: Question, key: TurnKey, asker: Asker) -> bool:
    """Nothing is on record of a conversation that begins with this message, unless it is sent again. Raises Foreign."""
    try:
        if not key.conversation_given:
            await may_follow(services, question.turn_id, asker)
            return False
        return await services.desk.talks.conversations.owned_by_person(question.conversation_id, asker.visitor_id)
    except RecordsUnavailable:
        return False


async def _begun(services: Services, question: Question, asker: Asker, to_person: bool) -> Begun | None:
    """None where the records are away: the visitor is answered all the same."""
    try:
        conversations = services.desk.conversations if to_person else services.desk.talks.conversations
        return await conversations.begin(question, asker.visitor_id)
    except RecordsUnavailable as error:
        log.warning("%s; the turn is answered but not recorded", error)
        return None


async def _earlier(services: Services, question: Question) -> tuple[str, ...]:
    """What the visitor wrote before, for a conversation that the memory has lost, after a restart for instance."""
    try:
        messages = await services.desk.conversations.records.messages(question.conversation_id)
    except RecordsUnavailable:
        return ()
    return tuple(said.text for said in messages if said.author == "visitor" and said.turn_id != question.turn_id)


async def _delivered(services: Services, turn: Turn, begun: Begun | None) -> str | None:
    if begun is None:
        return None
    label, concerns = turn.classification.label.value, concerns_of(turn, services.settings.desk)
    try:
        return await services.desk.talks.conversations.deliver(
            turn.question, begun, turn.outcome.answer, label, concerns
        )
    except RecordsUnavailable as error:
        log.warning("%s; the answer is delivered but not recorded", error)
        return None


def _handed_off(services: Services, question: Question, text: str) -> Response:
    return _recorded(services, _turn(question, outcome.handed_off(text), "person"))


def _turn(question: Question, result: Outcome, provider: str) -> Turn:
    """One that the assistant had no part in."""
    return Turn(
        question=question,
        outcome=result,
        classification=PERSON,
        trace_id=uuid4().hex,
        provider=provider,
        model=None,
        retrieved=0,
        latency_ms={"total": 0.0},
    )


def _unavailable(settings: Settings, question: Question, reason: RefusalReason) -> Outcome:
    """What is said while the assistant is paused, or there is no whole index to answer from."""
    people = question.people if settings.brand.person_available else NO_PEOPLE
    lang = language.of_message(question.text, question.lang)
    wording = load_wording(settings.brand.name).into(lang, people)
    return outcome.limit_offer(outcome.unavailable(wording, reason), people)


def _recorded(services: Services, turn: Turn) -> Response:
    result = response(turn)
    # The response is stored, and requests are in the visitor's words.
    result["requests"] = [{**asked, "text": redact(asked["text"])} for asked in result["requests"]]
    desk = services.desk
    desk.later.do(desk.talks.evidence.save(result, redact(turn.question.text), desk.clock()))
    return result


def proven(token: str | None, settings: Settings, conversation_id: str) -> Mapping[str, str | float]:
    """What is proven of the customer; nothing where the operator has no secret."""
    secret = settings.customer.secret
    if secret is None or token is None:
        return {}
    return signed.read(secret.get_secret_value(), token, time.time(), conversation_id)


def _fingerprint(question: Question) -> str:
    asked = json.dumps([question.text, question.lang, sorted(question.filters.items())])
    return hashlib.sha256(asked.encode()).hexdigest()
