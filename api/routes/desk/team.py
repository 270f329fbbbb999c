"""Colleagues, canned replies, audit, and what is on record about a visitor."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from api.crossing import ACTION as CROSSING
from api.dependencies import Needed, json_only
from api.desk_access import Admin, Agent, Lead, may, user_view
from api.desk_schemas import CannedRequest, UserChange, UserRequest
from api.errors import ApiError
from api.turns import DEFAULT_LANGUAGE
from handrail.accounts.passwords import SHORTEST, hash_password, new_password
from handrail.accounts.sessions import Role
from handrail.records.people import EmailTaken
from handrail.turn.wording import load_wording

router = APIRouter()


@router.get("/users")
async def users(agent: Agent, services: Needed) -> dict[str, Any]:
    """Names and who is there; administrators see addresses and roles too."""
    desk = services.desk
    items = []
    for user in await desk.people.all():
        online = desk.presence.is_here(f"agent:{user.id}")
        if agent.user.role == "admin":
            items.append({**user_view(user), "active": user.active, "online": online})
        elif user.active:
            items.append({"id": user.id, "name": user.name, "online": online})
    return {"items": items}


@router.get("/now")
async def now(_agent: Agent, services: Needed) -> dict[str, Any]:
    """Who is there, when the desk is open, and what somebody who asks for a person is told at this moment."""
    desk, brand, hours = services.desk, services.settings.brand, services.rota.hours
    people = await services.rota.people()
    told = load_wording(brand.name).into(DEFAULT_LANGUAGE, people).expectation(brand.person_expectation)
    there = [user for user in await desk.people.all() if desk.presence.is_here(f"agent:{user.id}")]
    return {
        "state": people.availability.value,
        "online": [{"id": user.id, "name": user.name} for user in there],
        "told": told,
        "opens_at": people.opens_at.isoformat() if people.opens_at else None,
        "wait_s": people.wait_s,
        "wait_most_s": people.wait_most_s,
        "time_zone": hours.zone.key,
        "week": hours.week(),
        "holidays": [{"date": f"{day}", "hours": left} for day, left in hours.coming_holidays(desk.clock())],
    }


@router.post("/users", status_code=201, dependencies=[Depends(json_only)])
async def add_user(body: UserRequest, agent: Admin, services: Needed) -> dict[str, Any]:
    """A new colleague; without a password one is made up and told once."""
    desk = services.desk
    password = body.password or new_password()
    if len(password) < SHORTEST:
        raise ApiError(422, "validation", f"password: Use at least {SHORTEST} characters.")
    name = body.name.strip() or body.email.split("@")[0]
    try:
        user = await desk.people.add(body.email, name, body.role, await hash_password(password), desk.clock())
    except EmailTaken as error:
        raise ApiError(409, "email_taken", f"{error}.") from None
    desk.conversations.names.forget()
    await desk.book.log("add_user", desk.clock(), user_id=agent.user.id, target=user.email, detail={"role": user.role})
    return {**user_view(user), "active": True, "online": False, **({} if body.password else {"password": password})}


@router.put("/users/{user_id}", dependencies=[Depends(json_only)])
async def change_user(user_id: str, body: UserChange, agent: Admin, services: Needed) -> dict[str, Any]:
    """Another role, or no way in any more; whoever is disabled is signed out everywhere."""
    desk = services.desk
    user = await desk.people.by_id(user_id)
    if user is None:
        raise ApiError(404, "not_found", "This user doesn't exist.")
    if user.id == agent.user.id:
        raise ApiError(409, "own_account", "Ask another administrator: nobody changes their own role.")
    if body.role not in (None, user.role) and user.subject is not None:
        raise ApiError(409, "role_of_provider", "This role comes from your company's accounts. Change it there.")
    changes = body.model_dump(exclude_none=True)
    if changes:
        await desk.people.change(user.id, **changes)
        await desk.book.log("change_user", desk.clock(), user_id=agent.user.id, target=user.email, detail=changes)
    if body.active is False:
        await desk.presence.gone(f"agent:{user.id}", user_id=user.id)
    desk.conversations.names.forget()
    return {**user_view(user), "active": user.active, "online": False, **changes}


@router.get("/canned")
async def canned(_agent: Agent, services: Needed) -> dict[str, Any]:
    rows = await services.desk.book.canned()
    return {"items": [{"id": row.id, "title": row.title, "text": row.text} for row in rows]}


@router.post("/canned", status_code=201, dependencies=[Depends(json_only)])
async def add_canned(body: CannedRequest, _agent: Lead, services: Needed) -> dict[str, Any]:
    return await _saved(body, services, None)


@router.put("/canned/{canned_id}", dependencies=[Depends(json_only)])
async def change_canned(canned_id: str, body: CannedRequest, _agent: Lead, services: Needed) -> dict[str, Any]:
    return await _saved(body, services, canned_id)


@router.delete("/canned/{canned_id}", status_code=204)
async def drop_canned(canned_id: str, _agent: Lead, services: Needed) -> None:
    await services.desk.book.drop_canned(canned_id)


@router.get("/audit")
async def audit(
    agent: Lead,
    services: Needed,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    action: Annotated[str | None, Query(max_length=40)] = None,
    before: Annotated[float | None, Query(ge=0, le=1e11, allow_inf_nan=False)] = None,
) -> dict[str, Any]:
    """The latest entries, or those before a time, newest first; a lead sees attempts from other companies alone."""
    if not may(agent, Role.ADMIN):
        if action not in (None, CROSSING):
            raise ApiError(403, "forbidden", "You need the role admin for this.")
        action = CROSSING
    names = await services.desk.conversations.names.all()
    rows = await services.desk.book.audit(action=action, before=before, limit=limit)
    return {
        "items": [
            {
                "id": row.id,
                "user": {"id": row.user_id, "name": names.get(row.user_id, "")} if row.user_id else None,
                "action": row.action,
                "target": row.target,
                "detail": row.detail,
                "at": row.at,
            }
            for row in rows
        ]
    }


@router.get("/visitors/{visitor}/export")
async def export(visitor: str, agent: Admin, services: Needed) -> dict[str, Any]:
    """Everything on record about a visitor, found by id or e-mail address."""
    desk = services.desk
    await desk.book.log("export_visitor", desk.clock(), user_id=agent.user.id, target=visitor[:254])
    return {"visitor": visitor, "conversations": await desk.visitors.export(visitor)}


@router.delete("/visitors/{visitor}")
async def forget(visitor: str, agent: Admin, services: Needed) -> dict[str, int]:
    """Delete it all, the assistant's memory of the conversations and the events of their turns included."""
    desk = services.desk
    gone = await desk.visitors.delete(visitor)
    for conversation_id in gone.conversations:
        await services.assistant.forget(conversation_id)
    await services.streams.forget(gone.turns)
    deleted = len(gone.conversations)
    await desk.book.log("delete_visitor", desk.clock(), user_id=agent.user.id, detail={"conversations": deleted})
    return {"deleted": deleted}


async def _saved(body: CannedRequest, services: Needed, canned_id: str | None) -> dict[str, Any]:
    row = await services.desk.book.save_canned(body.title, body.text, canned_id)
    if row is None:
        raise ApiError(404, "not_found", "This canned reply doesn't exist.")
    return {"id": row.id, "title": row.title, "text": row.text}
