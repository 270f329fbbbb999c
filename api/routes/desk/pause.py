"""Pausing the assistant for all visitors, and letting it answer again."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.dependencies import Needed, Services
from api.desk_access import Agent, Lead
from handrail.desk.handoff.live import DESK
from handrail.desk.pausing import PAUSED, RESUMED

router = APIRouter()


@router.get("/pause")
async def shown(_agent: Agent, services: Needed) -> dict[str, Any]:
    """Since when the assistant is paused and who paused it; None while it answers."""
    return await _shown(services)


@router.post("/pause")
async def pause(agent: Lead, services: Needed) -> dict[str, Any]:
    """From now on no question reaches the assistant, in any process. An earlier pause stays as it is."""
    desk = services.desk
    if await desk.pauses.begin(desk.clock(), agent.user.id):
        await _tell(services, agent.user.id, PAUSED)
    return await _shown(services)


@router.post("/resume")
async def resume(agent: Lead, services: Needed) -> dict[str, Any]:
    """The assistant answers again."""
    if await services.desk.pauses.end():
        await _tell(services, agent.user.id, RESUMED)
    return await _shown(services)


async def _tell(services: Services, user_id: str, action: str) -> None:
    """The audit log, every open desk, and the log of this process."""
    desk = services.desk
    await desk.book.log(action, desk.clock(), user_id=user_id)
    await desk.hub.publish(DESK, {"type": "pause", **await _shown(services)})
    await desk.talks.pausing.paused()


async def _shown(services: Services) -> dict[str, Any]:
    row = await services.desk.pauses.current()
    if row is None:
        return {"paused": None}
    names = await services.desk.conversations.names.all()
    return {"paused": {"since": row.since, "by": names.get(row.user_id, "") if row.user_id else ""}}
