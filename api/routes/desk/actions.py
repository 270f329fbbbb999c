"""What agents do in a conversation."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Depends

from api.dependencies import Needed, Services, json_only
from api.desk_access import Agent
from api.desk_schemas import ActRequest, NoteRequest, ReplyRequest, ResolveRequest, TransferRequest
from api.drafting import draft_of, question_for
from api.errors import ApiError
from api.fields import ConversationId
from api.schemas import ReadRequest, TypingRequest
from handrail.accounts.sessions import Signed
from handrail.desk.handoff import views
from handrail.desk.handoff.live import DESK, conversation_topic
from handrail.desk.handoff.ownership import Action
from handrail.errors import HandrailError
from handrail.records.conversations import NewMessage, Unknown
from handrail.text.guard import tidy
from handrail.turn.present import response

router = APIRouter(prefix="/conversations/{conversation_id}", dependencies=[Depends(json_only)])


@router.post("/take")
async def take(body: ActRequest, conversation_id: ConversationId, agent: Agent, services: Needed) -> dict[str, Any]:
    return await _act(services, conversation_id, body.version, Action.TAKE, agent, agent.user.id)


@router.post("/hand-back")
async def hand_back(
    body: ActRequest, conversation_id: ConversationId, agent: Agent, services: Needed
) -> dict[str, Any]:
    return await _act(services, conversation_id, body.version, Action.HAND_BACK, agent)


@router.post("/resolve")
async def resolve(
    body: ResolveRequest, conversation_id: ConversationId, agent: Agent, services: Needed
) -> dict[str, Any]:
    values = {"resolve_cause": tidy(body.cause)[:60]}
    return await _act(services, conversation_id, body.version, Action.RESOLVE, agent, values=values)


@router.post("/transfer")
async def transfer(
    body: TransferRequest, conversation_id: ConversationId, agent: Agent, services: Needed
) -> dict[str, Any]:
    user = await services.desk.people.by_id(body.user_id)
    if user is None or not user.active:
        raise ApiError(422, "validation", "user_id: No user has this id.")
    return await _act(services, conversation_id, body.version, Action.TRANSFER, agent, user.id)


@router.post("/reply", status_code=201)
async def reply(body: ReplyRequest, conversation_id: ConversationId, agent: Agent, services: Needed) -> dict[str, Any]:
    """What the owner writes; sent again under the same id, it is the same message."""
    text = tidy(body.text)
    if not text:
        raise ApiError(422, "validation", "text: This field can't be empty.")
    message = NewMessage(str(body.id), "agent", text, user_id=agent.user.id, name=agent.user.name)
    said = await services.desk.conversations.reply(conversation_id, message)
    if said.added:
        await services.assistant.remember_agent_reply(conversation_id, text)
    stored = said.added[0] if said.added else await _stored(services, conversation_id, str(body.id))
    return {**views.message(stored), "user_id": agent.user.id}


@router.post("/note", status_code=201)
async def note(body: NoteRequest, conversation_id: ConversationId, agent: Agent, services: Needed) -> dict[str, Any]:
    """For colleagues only."""
    desk = services.desk
    text = tidy(body.text)
    if await desk.conversations.records.find(conversation_id) is None:
        raise Unknown("this conversation doesn't exist")
    if not text:
        raise ApiError(422, "validation", "text: This field can't be empty.")
    id_ = str(body.id or uuid4())
    row = await desk.book.add_note(id_, conversation_id, agent.user.id, text, desk.clock())
    made = views.note(row, {agent.user.id: agent.user.name})
    await desk.hub.publish(DESK, {"type": "note", "conversation_id": conversation_id, "note": made})
    return made


@router.post("/typing", status_code=204)
async def typing(body: TypingRequest, conversation_id: ConversationId, agent: Agent, services: Needed) -> None:
    event = {"type": "typing", "author": "agent", "name": agent.user.name, "on": body.on}
    await services.desk.hub.publish(conversation_topic(conversation_id), event)
    await services.desk.hub.publish(DESK, {**event, "conversation_id": conversation_id, "user_id": agent.user.id})


@router.post("/read", status_code=204)
async def read(body: ReadRequest, conversation_id: ConversationId, _agent: Agent, services: Needed) -> None:
    desk = services.desk
    row = await desk.conversations.records.read(conversation_id, "agent", body.seq)
    await desk.hub.publish(conversation_topic(row.id), {"type": "read", "author": "agent", "seq": row.agent_read_seq})
    await desk.conversations.tell_desk(row)


@router.post("/draft")
async def draft(conversation_id: ConversationId, _agent: Agent, services: Needed) -> dict[str, Any]:
    """What the assistant would answer to the visitor's last message; nothing is sent or remembered."""
    desk = services.desk
    row = await desk.conversations.records.find(conversation_id)
    if row is None:
        raise Unknown("this conversation doesn't exist")
    messages = await desk.conversations.records.messages(conversation_id, limit=10_000)
    asked = next((message for message in reversed(messages) if message.author == "visitor"), None)
    if asked is None:
        raise ApiError(422, "validation", "The visitor hasn't written anything yet.")
    question = question_for(row, asked, messages, await desk.evidence.turns(conversation_id))
    try:
        turn = await services.assistant.ask(question)
    except HandrailError:
        raise ApiError(503, "not_ready", "The assistant can't draft a reply right now.", retry_after_s=5) from None
    finally:
        await services.assistant.forget(question.conversation_id)
    return draft_of(response(turn))


async def _act(
    services: Services,
    conversation_id: str,
    version: int,
    action: Action,
    agent: Signed,
    user_id: str | None = None,
    values: dict[str, Any] | None = None,
) -> dict[str, Any]:
    desk = services.desk
    row = await desk.conversations.act(conversation_id, version, action, user_id, values)
    detail = {"generation": row.generation, **({"to": user_id} if user_id else {}), **(values or {})}
    desk.later.do(
        desk.book.log(action.value, desk.clock(), user_id=agent.user.id, target=conversation_id, detail=detail)
    )
    unread = await desk.conversations.lists.unread(row.id, row.agent_read_seq)
    return views.list_item(row, unread, await desk.conversations.names.all())


async def _stored(services: Services, conversation_id: str, message_id: str) -> Any:
    messages = await services.desk.conversations.records.messages(conversation_id, limit=10_000)
    return next(message for message in messages if message.id == message_id)
