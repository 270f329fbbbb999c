"""`/chat/stream`: one turn as it happens; coming back to it, and stopping it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack
from uuid import UUID

from fastapi import APIRouter, Depends
from starlette.responses import StreamingResponse

from api import turns
from api.dependencies import Asker, Needed, Services, WhoAsks, counted, following, json_only
from api.errors import ApiError
from api.fields import LastEventId, number_of
from api.openapi import failures, streams_events
from api.schemas import AskRequest, StopRequest, StopResponse
from api.stream import parts
from api.stream.parts import Narrator
from api.stream.sse import KEEP_ALIVE, encoded, event_stream, listed
from api.turns import Admitted
from handrail.conversation.streams import Followable, OwnerGone
from handrail.conversation.streams.journal import Journal
from handrail.records import RecordsUnavailable
from handrail.records.conversations import Foreign
from handrail.records.turns import Claimed, Finished, Response, TurnKey
from handrail.types import Question

log = logging.getLogger("handrail.stream")

FAILED = "Something went wrong on our side. Please ask again."
NOT_KNOWN = "This turn doesn't exist, was stopped or has expired. POST the question to /chat/stream again."

router = APIRouter(prefix="/chat", tags=["conversation"])


@router.post(
    "/stream",
    operation_id="chatStream",
    summary="Ask a question and follow its answer",
    response_class=StreamingResponse,
    responses={**streams_events(), **failures(401, 404, 408, 409, 413, 415, 422, 429, 503)},
    dependencies=[Depends(json_only), Depends(counted), Depends(following)],
)
async def stream(
    body: AskRequest, services: Needed, asker: WhoAsks, last_event_id: LastEventId = None
) -> StreamingResponse:
    """The turn of `/ask` as server-sent events, in the AI SDK's UI message stream format, version 1.

    Text comes claim by claim. `data-outcome` holds what `/ask` would have returned, and is the authority: a claim that
    did not stand up was replaced or withdrawn by then. The same `turn_id` sent again follows the same turn.
    """
    question, key = turns.read(body, services.settings)
    said = await turns.to_person(services, question, key, asker)
    if said is not None:
        return event_stream(listed(parts.replay(said)))
    after = number_of(last_event_id)
    if body.conversation_id is not None:
        services.streams.give_way(question.conversation_id, question.turn_id)
    claim = await services.once.claim(key, wait_for_itself=False)
    if not isinstance(claim, Claimed | Finished):
        running = await services.streams.find(question.turn_id)
        if running is not None:
            return event_stream(_followed(running, after, services, question.turn_id))
        claim = await services.once.claim(key)
    if isinstance(claim, Finished):
        return event_stream(listed(parts.replay(claim.response)))
    return event_stream(_followed(await _begun(question, key, services, asker), 0, services, question.turn_id))


@router.get(
    "/stream/{turn_id}",
    operation_id="resumeStream",
    summary="Go on following a turn",
    response_class=StreamingResponse,
    responses={**streams_events(), **failures(401, 404, 422, 429, 503)},
    dependencies=[Depends(counted), Depends(following)],
)
async def resume(
    turn_id: UUID, services: Needed, asker: WhoAsks, last_event_id: LastEventId = None
) -> StreamingResponse:
    """Events of a turn after `Last-Event-ID`, or all of them, for a client that lost the connection.

    Works on any process where they share Redis. A turn that is over and whose events are no longer kept is told from
    its stored result. Turns that were asked for through `/ask` have no events until they are finished. A turn of a
    conversation that began with a visitor's token is found with that visitor's token only.
    """
    after = number_of(last_event_id)
    try:
        await turns.may_follow(services, str(turn_id), asker)
    except Foreign:
        raise ApiError(404, "not_found", NOT_KNOWN) from None
    running = await services.streams.find(str(turn_id))
    if running is not None:
        return event_stream(_followed(running, after, services, str(turn_id)))
    stored = await services.once.stored(str(turn_id))
    if stored is None:
        raise ApiError(404, "not_found", NOT_KNOWN)
    return event_stream(listed(parts.ending(stored), after) if after else listed(parts.replay(stored)))


@router.post(
    "/stop",
    operation_id="stopTurn",
    summary="Stop a turn",
    response_description="Whether there was something to stop.",
    responses=failures(401, 404, 408, 413, 415, 422, 429, 503),
    dependencies=[Depends(json_only), Depends(counted)],
)
async def stop(body: StopRequest, services: Needed, asker: WhoAsks) -> StopResponse:
    """Cancel what is being generated for a turn, on whichever process it runs. Its stream ends with `abort`.

    A stopped turn is as if it had never been asked; it can be asked again under the same id. A turn of a conversation
    that began with a visitor's token is stopped with that visitor's token only.
    """
    await turns.may_follow(services, str(body.turn_id), asker)
    return StopResponse(turn_id=str(body.turn_id), stopped=await services.streams.stop(str(body.turn_id)))


async def _begun(question: Question, key: TurnKey, services: Services, asker: Asker) -> Journal:
    """The journal of a turn that was admitted and runs from here on by itself. Raises what `/ask` would."""
    slot = ExitStack()
    try:
        slot.enter_context(services.turns.one())
        admitted = await turns.admit(services, question, key, asker)
    except BaseException:
        slot.close()
        await asyncio.shield(services.once.give_back(key))
        raise

    async def work(journal: Journal) -> None:
        with slot:
            await _told(question, key, services, asker, admitted, journal)

    return services.streams.start(question.turn_id, question.conversation_id, work)


async def _told(
    question: Question, key: TurnKey, services: Services, asker: Asker, admitted: Admitted, journal: Journal
) -> None:
    narrator = Narrator(journal, question.turn_id)
    narrator.start()

    async def answered() -> Response:
        response = await turns.answer(services, question, asker, admitted, narrator)
        services.streams.settled(question.turn_id)
        return response

    try:
        narrator.finish(await services.once.carry_out(key, answered))
    except asyncio.CancelledError:
        narrator.abort()
        raise
    except Exception:
        log.exception("turn %s failed", question.turn_id)
        narrator.fail(FAILED)


async def _followed(running: Followable, after: int, services: Services, turn_id: str) -> AsyncIterator[bytes]:
    heartbeat_s = services.settings.stream.heartbeat_s
    try:
        async for event in running.follow(after, heartbeat_s):
            if event is None:
                yield KEEP_ALIVE
            else:
                after = event.number
                yield encoded(event)
    except OwnerGone:
        stored = await _stored(services, turn_id)
        for_now = parts.failure(FAILED) if stored is None else parts.ending(stored)
        async for chunk in listed(for_now, after):
            yield chunk


async def _stored(services: Services, turn_id: str) -> Response | None:
    try:
        return await services.once.stored(turn_id)
    except RecordsUnavailable:
        return None
