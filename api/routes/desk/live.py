"""What happens at the desk, as it happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

from fastapi import APIRouter, Depends
from starlette.responses import StreamingResponse

from api.dependencies import Needed, Services, json_only
from api.desk_access import Agent
from api.desk_schemas import PresenceRequest
from api.live import HEARTBEAT_S, KEEP_ALIVE, encoded, live_stream, next_event
from handrail.accounts.sessions import Signed
from handrail.desk.handoff.live import DESK, SYNC

router = APIRouter()


async def _watching(agent: Agent, services: Needed) -> AsyncIterator[None]:
    with services.desk_followers.one(agent.user.id):
        yield


@router.get("/events", dependencies=[Depends(_watching)])
async def events(agent: Agent, services: Needed) -> StreamingResponse:
    """`conversation`, `message`, `typing`, `read`, `note`, `presence` and `pause`; after `sync`, lists are to be
    read again.

    A `sync` comes now and then while there is anything new, should an event have been lost between processes.
    """
    return live_stream(_followed(agent, services))


@router.post("/presence", status_code=204, dependencies=[Depends(json_only)])
async def presence(body: PresenceRequest, agent: Agent, services: Needed) -> None:
    """Whether the agent takes conversations; kept up by the open page from then on."""
    desk = services.desk
    who = f"agent:{agent.user.id}"
    await (desk.presence.here if body.online else desk.presence.gone)(who, user_id=agent.user.id, chosen="yes")


async def _followed(agent: Signed, services: Services) -> AsyncGenerator[bytes, None]:
    desk, user_id = services.desk, agent.user.id
    who = f"agent:{user_id}"
    looked_at, latest = float("-inf"), None
    with desk.hub.subscribe(DESK) as queue:
        try:
            while True:
                if abs(desk.clock() - looked_at) >= HEARTBEAT_S:
                    looked_at = desk.clock()
                    if await desk.sign_in.find(agent.token) is None:
                        return
                    if not desk.presence.stays_away(who):
                        await desk.presence.here(who, user_id=user_id)
                    before, latest = latest, await desk.conversations.lists.latest()
                    if latest != before or before is None:
                        yield encoded(SYNC)
                event = await next_event(queue)
                if event is None:
                    yield KEEP_ALIVE
                elif not (event["type"] == "typing" and event.get("user_id") == user_id):
                    yield encoded(event)
        finally:
            desk.later.do(desk.presence.gone(who, user_id=user_id))
