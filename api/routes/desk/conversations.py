"""The queue, and one conversation with all there is to know about it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from api.dependencies import Needed
from api.desk_access import Agent, may
from api.fields import ConversationId, Number
from handrail.accounts.sessions import Role
from handrail.desk.handoff import similar, views
from handrail.desk.handoff.ownership import State
from handrail.records.conversations import Unknown
from handrail.records.lists import WORTH_S, Wanted

router = APIRouter(prefix="/conversations")

Short = Annotated[str | None, Query(max_length=200)]


@router.get("")
async def listed(
    agent: Agent,
    services: Needed,
    state: Short = None,
    label: Short = None,
    reason: Short = None,
    lang: Short = None,
    owner: Short = None,
    q: Short = None,
    worth: bool = False,
    sort: Literal["waiting", "updated"] = "waiting",
    cursor: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    """Conversations, the longest waiting or the latest first; `state` may name several, separated by commas.

    `worth`: those that the assistant holds and a person should look at: high stakes, or several questions unanswered.
    """
    now = services.desk.clock()
    lists, names = services.desk.conversations.lists, await services.desk.conversations.names.all()
    states = [one for one in (state or "").split(",") if one in set(State)]
    wanted = Wanted(
        states=states,
        label=label or None,
        reason=reason or None,
        lang=lang or None,
        owner=agent.user.id if owner == "me" else owner or None,
        q=q or None,
        worth_after=now - WORTH_S if worth else None,
        sort=sort,
        offset=cursor,
        limit=limit + 1,
    )
    page = await lists.page(wanted)
    return {
        "items": [views.list_item(row, unread, names) for row, unread in page[:limit]],
        "next": str(cursor + limit) if len(page) > limit else None,
        "counts": {**await lists.counts(agent.user.id), "worth": await lists.worth(now)},
    }


@router.get("/{conversation_id}")
async def one(
    conversation_id: ConversationId, agent: Agent, services: Needed, after: Annotated[Number, Query()] = 0
) -> dict[str, Any]:
    """Messages above `after`, what the assistant's turns rested on, notes, thumbs, and the visitor.

    `claimed` is a past that we have no record of, as the visitor's page told it: their own words, all of it. `traced`
    turns have a trace that this user may open.
    """
    desk = services.desk
    row = await desk.conversations.records.find(conversation_id)
    if row is None:
        raise Unknown("this conversation doesn't exist")
    names = await desk.conversations.names.all()
    unread = await desk.conversations.lists.unread(row.id, row.agent_read_seq)
    traced = await services.traces.turns(row.id) if may(agent, Role.LEAD) else set()
    others = await desk.conversations.lists.of_visitor(row.visitor_id, 20) if row.visitor_id else []
    return {
        "conversation": views.whole(row, unread, names),
        "messages": [
            {**views.message(message), "user_id": message.user_id}
            for message in await desk.conversations.records.messages(row.id, after)
        ],
        "claimed": [views.claimed(line) for line in await desk.handoffs.claimed(row.id)],
        "notes": [views.note(note, names) for note in await desk.book.notes(row.id)],
        "turns": [{**views.turn(turn), "traced": turn.turn_id in traced} for turn in await desk.evidence.turns(row.id)],
        "feedback": [views.feedback(thumb) for thumb in await desk.evidence.feedback(row.id)],
        "visitor": {
            "id": row.visitor_id,
            "context": row.context,
            "email": row.email,
            "online": desk.presence.is_here(f"visitor:{row.id}"),
            "other_conversations": [views.list_item(other, 0, names) for other in others if other.id != row.id],
        },
    }


@router.get("/{conversation_id}/similar")
async def similar_to(conversation_id: ConversationId, _agent: Agent, services: Needed) -> dict[str, Any]:
    """Resolved conversations about the same thing, by the words they share."""
    conversations = services.desk.conversations
    row = await conversations.records.find(conversation_id)
    if row is None:
        raise Unknown("this conversation doesn't exist")
    return {"items": similar.nearest(row, await conversations.lists.resolved())}
