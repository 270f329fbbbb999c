"""What everybody at the desk does with their own account: the password, and the second factor."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from api.dependencies import Needed, Services, Visitor, json_only
from api.desk_access import SignedIn
from api.desk_schemas import CodeRequest, PasswordRequest, ProofRequest
from api.errors import ApiError
from api.routes.desk.sign_in import keep, refusals, session_view
from handrail.accounts.passwords import SHORTEST, hash_password
from handrail.accounts.qr import drawn
from handrail.accounts.sessions import NO_PASSWORD, Signed

router = APIRouter(prefix="/account")


@router.get("")
async def account(agent: SignedIn, services: Needed) -> dict[str, Any]:
    factors = services.desk.factors
    return {
        "password": services.settings.oidc.passwords and agent.user.password_hash != NO_PASSWORD,
        "second_factor": await factors.is_on(agent.user.id),
        "recovery_left": await factors.recovery_left(agent.user.id),
    }


@router.post("/password", dependencies=[Depends(json_only)])
async def password(
    body: PasswordRequest, request: Request, response: Response, agent: SignedIn, services: Needed, address: Visitor
) -> dict[str, Any]:
    """Change one's own password; every other session ends."""
    if len(body.new) < SHORTEST:
        raise ApiError(422, "validation", f"new: Use at least {SHORTEST} characters.")
    await _proven(body, agent, services, address)
    desk = services.desk
    await desk.people.change(agent.user.id, password_hash=await hash_password(body.new))
    await _log("change_password", agent, services)
    signed = await desk.sign_in.begin(agent.user)
    keep(signed, request, response, services)
    return await session_view(signed, services)


@router.post("/second-factor", status_code=201, dependencies=[Depends(json_only)])
async def begin(body: ProofRequest, agent: SignedIn, services: Needed, address: Visitor) -> dict[str, Any]:
    """What an authenticator app is set up with. It is asked for once a code has confirmed it."""
    await _proven(body, agent, services, address)
    setup = await services.desk.factors.begin(agent.user)
    if setup is None:
        raise ApiError(409, "already_on", "Turn the second factor off first.")
    size, path = drawn(setup.uri)
    return {"secret": setup.secret, "uri": setup.uri, "qr": {"size": size, "path": path}}


@router.post("/second-factor/confirm", dependencies=[Depends(json_only)])
async def confirm(body: CodeRequest, agent: SignedIn, services: Needed) -> dict[str, Any]:
    """Turn it on; the recovery codes are told once."""
    codes = await services.desk.factors.confirm(agent.user.id, body.code)
    if codes is None:
        raise ApiError(422, "wrong_code", "The code is wrong. Check the clock of your device and try the next code.")
    await _log("second_factor_on", agent, services)
    return {"recovery": list(codes)}


@router.post("/second-factor/off", status_code=204, dependencies=[Depends(json_only)])
async def off(body: ProofRequest, agent: SignedIn, services: Needed, address: Visitor) -> None:
    await _proven(body, agent, services, address)
    if await services.desk.factors.turn_off(agent.user.id):
        await _log("second_factor_off", agent, services)


async def _proven(body: ProofRequest, agent: Signed, services: Services, address: str) -> None:
    """Counted like signing in, so that an open session helps nobody to guess the password."""
    with refusals(403):  # the session goes on
        await services.desk.sign_in.proven(agent.user.email, body.password, address, code=body.code)


async def _log(action: str, agent: Signed, services: Services) -> None:
    desk = services.desk
    await desk.book.log(action, desk.clock(), user_id=agent.user.id, target=agent.user.email)
