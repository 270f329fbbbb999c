"""Who may use the desk's API: a session, a token against forged writes, and roles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from api.dependencies import Needed, Services
from api.errors import ApiError
from handrail.accounts.sessions import NO_PASSWORD, RANK, Role, Signed
from handrail.records.desk_tables import UserRow

COOKIE = "handrail_desk"
PATH = "/desk"
SAFE = ("GET", "HEAD")


def under_root(request: Request, path: str = PATH) -> str:
    """`path` as browsers see it, behind the prefix of a proxy or a tenant: no cookie reaches what lies beside."""
    return f"{request.scope.get('root_path', '')}{path}"


async def _signed_in(request: Request, services: Needed) -> Signed:
    """Raises 401 without a session, and 403 for a write without its token."""
    token = request.cookies.get(COOKIE)
    signed = await services.desk.sign_in.find(token) if token else None
    if signed is None:
        raise ApiError(401, "unauthorized", "Sign in first.")
    if request.method not in SAFE and request.headers.get("X-CSRF-Token", "") != signed.csrf:
        raise ApiError(403, "csrf", "This page is out of date. Reload it and try again.")
    return signed


SignedIn = Annotated[Signed, Depends(_signed_in)]
"""Whoever has a session: may sign out, and see to their own account."""


async def factor_missing(signed: Signed, services: Services) -> bool:
    """Whether a second factor has to be set up before anything else. Accounts of a provider have theirs there."""
    settings = services.settings
    asked = settings.desk.second_factor == "required" and settings.oidc.passwords
    if not asked or signed.user.password_hash == NO_PASSWORD:
        return False
    return not await services.desk.factors.is_on(signed.user.id)


async def _agent(signed: SignedIn, services: Needed) -> Signed:
    """Raises 403 as long as a second factor is missing that is required."""
    if await factor_missing(signed, services):
        raise ApiError(403, "second_factor_required", "Set up a second factor first.")
    return signed


Agent = Annotated[Signed, Depends(_agent)]


def may(agent: Signed, role: Role) -> bool:
    """Whether the user has `role` or a higher one."""
    return RANK[Role(agent.user.role)] >= RANK[role]


def at_least(role: Role) -> Callable[[Signed], Signed]:
    """A dependency for what not everybody may do."""

    def check(agent: Agent) -> Signed:
        if not may(agent, role):
            raise ApiError(403, "forbidden", f"You need the role {role.value} for this.")
        return agent

    return check


Lead = Annotated[Signed, Depends(at_least(Role.LEAD))]
Admin = Annotated[Signed, Depends(at_least(Role.ADMIN))]


def user_view(user: UserRow) -> dict[str, str]:
    return {"id": user.id, "name": user.name, "email": user.email, "role": user.role}
