"""The visitor's side of a live conversation. All of it needs the token of the visitor whose conversation it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import PlainTextResponse, StreamingResponse

from api.dependencies import Asker, Needed, Services, WhoAsks, counted, json_only, still_known
from api.errors import ApiError
from api.fields import ConversationId, LastEventId, Number, number_of
from api.live import HEARTBEAT_S, KEEP_ALIVE, encoded, live_stream, next_event
from api.schemas import CsatRequest, ErrorDetail, ReadRequest, TranscriptRequest, TypingRequest
from handrail.accounts.limits import Denied
from handrail.desk.handoff import transcript, views
from handrail.desk.handoff.live import SYNC, conversation_topic
from handrail.desk.handoff.ownership import Action, State
from handrail.desk.outbox.visitor_mail import CodeSent, CodeWrong, Wish
from handrail.records.conversations import Unknown, ownership_of
from handrail.records.desk_tables import ConversationRow
from handrail.text.guard import tidy
from handrail.text.redact import redact

router = APIRouter(prefix="/conversations", tags=["live"], include_in_schema=False, dependencies=[Depends(counted)])

DAY_S = 86_400


async def _own(conversation_id: ConversationId, services: Needed, asker: WhoAsks) -> ConversationRow:
    """The visitor's conversation. Raises Unknown for somebody else's as well."""
    _known(asker.visitor_id)
    row = await services.desk.talks.conversations.records.find(conversation_id)
    if row is None or row.visitor_id != asker.visitor_id:
        raise Unknown("this conversation doesn't exist")
    return row


Own = Annotated[ConversationRow, Depends(_own)]


def _known(visitor_id: str | None) -> str:
    if visitor_id is None:
        raise ApiError(401, "token_missing", "Send the visitor token from POST /visitor as Authorization: Bearer.")
    return visitor_id


@router.get("")
async def mine(services: Needed, asker: WhoAsks) -> dict[str, Any]:
    """The visitor's conversations, latest first."""
    rows = await services.desk.talks.conversations.lists.of_visitor(_known(asker.visitor_id))
    return {"items": [views.for_visitor(row) for row in rows]}


@router.get("/{conversation_id}")
async def one(row: Own, services: Needed, after: Annotated[Number, Query()] = 0) -> dict[str, Any]:
    """Messages above `after`, and who answers."""
    conversations = services.desk.talks.conversations
    messages = await conversations.records.messages(row.id, after)
    turns = await services.desk.talks.evidence.turns(row.id)
    return {
        "conversation": views.for_visitor(row),
        "state": await conversations.state(row),
        "messages": [views.message(message) for message in messages],
        "turns": [views.shown(turn) for turn in turns],
        "read": {"visitor": row.visitor_read_seq, "agent": row.agent_read_seq},
    }


async def _following(row: Own, services: Needed, asker: WhoAsks) -> AsyncIterator[None]:
    """Holds a stream until the response has ended. Raises TooManyStreams, sooner where the assistant answers."""
    idle = ownership_of(row).bot_answers
    with services.followers.one(asker.visitor_id if asker.key_id is None else None, asker.address, idle=idle):
        yield


@router.get("/{conversation_id}/events", dependencies=[Depends(_following)])
async def events(
    row: Own,
    services: Needed,
    asker: WhoAsks,
    last_event_id: LastEventId = None,
    after: Annotated[Number, Query()] = 0,
) -> StreamingResponse:
    """Messages after the last one seen and whatever happens from now on; the state comes first.

    It ends with the token that it was asked for with, and goes on with the next one.
    """
    return live_stream(_followed(row.id, number_of(last_event_id, after), services, asker))


@router.post("/{conversation_id}/typing", status_code=204, dependencies=[Depends(json_only)])
async def typing(body: TypingRequest, row: Own, services: Needed) -> None:
    await services.desk.hub.publish(
        "desk", {"type": "typing", "conversation_id": row.id, "author": "visitor", "name": None, "on": body.on}
    )


@router.post("/{conversation_id}/read", status_code=204, dependencies=[Depends(json_only)])
async def read(body: ReadRequest, row: Own, services: Needed) -> None:
    desk = services.desk
    after = await desk.talks.conversations.records.read(row.id, "visitor", body.seq)
    await desk.hub.publish("desk", {"type": "read", "conversation_id": row.id, "seq": after.visitor_read_seq})


@router.post("/{conversation_id}/reopen", dependencies=[Depends(json_only)])
async def reopen(row: Own, services: Needed) -> dict[str, Any]:
    """Back in the queue, within some days after it was resolved."""
    desk, days = services.desk, services.settings.desk.reopen_days
    if row.state == State.QUEUED:
        return await desk.conversations.state(row)
    if row.resolved_at is None or row.resolved_at < desk.clock() - days * DAY_S:
        raise ApiError(409, "not_possible", "This conversation can't be reopened. Please start a new one.")
    if not services.settings.brand.person_available:
        raise ApiError(409, "not_possible", "Nobody reads requests at the moment, but the assistant still answers.")
    return await desk.conversations.state(await desk.conversations.act(row.id, row.version, Action.REOPEN, None))


@router.post("/{conversation_id}/csat", status_code=201, dependencies=[Depends(json_only)])
async def csat(body: CsatRequest, row: Own, services: Needed) -> dict[str, Any]:
    """How satisfied the visitor is; another rating replaces it."""
    if row.generation == 0 or row.resolved_at is None:
        raise ApiError(409, "not_possible", "You can rate a conversation once it is resolved.")
    comment = redact(tidy(body.comment or "")) or None
    after = await services.desk.talks.conversations.records.set(row.id, csat=body.score, csat_comment=comment)
    await services.desk.talks.conversations.tell_desk(after)
    return {"score": body.score}


@router.get("/{conversation_id}/transcript", response_class=PlainTextResponse)
async def download(row: Own, services: Needed) -> PlainTextResponse:
    """The conversation as plain text, to be kept."""
    messages = await services.desk.talks.conversations.records.messages(row.id, limit=10_000)
    text = transcript.as_text(row, messages, services.settings.brand.assistant)
    name = f"conversation-{row.reference or 'transcript'}.txt"
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.post("/{conversation_id}/transcript", status_code=202, dependencies=[Depends(json_only)])
async def mail_transcript(body: TranscriptRequest, row: Own, services: Needed, asker: WhoAsks) -> dict[str, Any]:
    """Send the conversation to an address that it has confirmed; any other gets only a code, to be sent back here."""
    desk = services.desk
    if not desk.mail.possible:
        raise ApiError(409, "not_possible", "E-mail isn't set up here. You can download the transcript instead.")
    wish = Wish(row.id, _known(row.visitor_id), asker.address, body.email, row.lang, row.reference)
    match await desk.mail.confirm(wish, body.code):
        case Denied() as denied:
            raise _mailed_enough(denied)
        case CodeSent(valid_s):
            return {"status": "code_sent", "expires_in": valid_s}
        case CodeWrong(0):
            raise ApiError(
                422, "code_expired", "This code has expired. Send the request without a code to get a new one."
            )
        case CodeWrong():
            raise ApiError(422, "code_wrong", "code: That's not the code in the e-mail. Check it and try again.")
    messages = await desk.talks.conversations.records.messages(row.id, limit=10_000)
    sent = await desk.mail.send(wish, transcript.as_text(row, messages, services.settings.brand.assistant))
    if isinstance(sent, Denied):
        raise _mailed_enough(sent)
    return {"status": "queued"}


def _mailed_enough(denied: Denied) -> ApiError:
    return ApiError(
        429,
        "rate_limited",
        "We can't send any more e-mails right now. You can download the transcript instead.",
        details=[ErrorDetail(field="scope", message=denied.scope)],
        retry_after_s=denied.retry_after_s,
    )


async def _followed(conversation_id: str, after: int, services: Services, asker: Asker) -> AsyncGenerator[bytes, None]:
    desk = services.desk
    checked_at = desk.clock()
    conversations = desk.talks.conversations
    about = {"conversation_id": conversation_id, "author": "visitor"}
    version = read = -1
    with desk.hub.subscribe(conversation_topic(conversation_id)) as queue:
        await desk.presence.here(f"visitor:{conversation_id}", **about)
        try:
            event = SYNC
            while True:
                if abs(desk.clock() - checked_at) >= HEARTBEAT_S:
                    checked_at = desk.clock()
                    if not await still_known(services, asker):
                        return
                if event["type"] == "state":
                    version, read = event["version"], event.get("read", read)
                    yield encoded(event)
                elif event["type"] == "message" and event["seq"] == after + 1:
                    after += 1
                    yield encoded(event, after)
                elif event["type"] == "sync" or (event["type"] == "message" and event["seq"] > after):
                    row = await conversations.records.find(conversation_id)
                    if row is None:
                        return
                    new = row.last_seq > after  # most looks find nothing, and one query is enough for those
                    for message in await conversations.records.messages(conversation_id, after) if new else ():
                        after = message.seq
                        yield encoded({"type": "message", **views.message(message)}, after)
                    if (row.version, row.agent_read_seq) != (version, read):
                        version, read = row.version, row.agent_read_seq
                        yield encoded(await conversations.state(row))
                elif event["type"] in ("typing", "read", "presence"):
                    read = event["seq"] if event["type"] == "read" else read
                    yield encoded(event)
                found = await next_event(queue)
                if found is None:
                    yield KEEP_ALIVE
                    await desk.presence.here(f"visitor:{conversation_id}", **about)
                event = found or SYNC
        finally:
            desk.later.do(desk.presence.gone(f"visitor:{conversation_id}", **about))
