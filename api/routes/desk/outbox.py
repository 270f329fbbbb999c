"""`/desk/api/letters`: alerts and transcripts on their way out, and those that could not be delivered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from api.dependencies import Needed
from api.desk_access import Lead
from api.errors import BY_STATUS, ApiError
from handrail.desk.outbox import Notification

router = APIRouter()


@router.get("/letters")
async def list_notifications(
    _agent: Lead,
    services: Needed,
    state: Literal["waiting", "dead", "done"] | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> dict[str, Any]:
    """The newest first, without what they say; `dead` ones wait for somebody to put right what is wrong."""
    return {"items": [_shown(notification) for notification in await services.desk.outbox.list(state, limit)]}


@router.post("/letters/retry")
async def retry_all(agent: Lead, services: Needed) -> dict[str, int]:
    """Every dead letter is due again."""
    return {"due": await _again(None, agent, services)}


@router.post("/letters/{letter_id}/retry")
async def retry(letter_id: str, agent: Lead, services: Needed) -> dict[str, int]:
    """One dead letter is due again."""
    due = await _again(letter_id, agent, services)
    if not due:
        raise ApiError(404, *BY_STATUS[404])
    return {"due": due}


async def _again(letter_id: str | None, agent: Lead, services: Needed) -> int:
    desk = services.desk
    due = await desk.outbox.retry(desk.clock(), letter_id)
    if due:
        await desk.book.log(
            "retry_letters", desk.clock(), user_id=agent.user.id, target=letter_id, detail={"letters": due}
        )
    return due


def _shown(notification: Notification) -> dict[str, Any]:
    names = ("id", "channel", "target", "attempts", "error", "created_at", "next_at", "done_at", "state")
    return {name: getattr(notification, name) for name in names}
