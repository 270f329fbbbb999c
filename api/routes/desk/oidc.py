"""Signing in with the company's accounts: to the provider and back."""

from __future__ import annotations

import logging

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse

from api.dependencies import Needed, counted_by_address
from api.desk_access import under_root
from api.errors import BY_STATUS, ApiError
from api.middleware.headers import encrypted
from api.routes.desk.sign_in import keep
from handrail.accounts.oidc import AWAY_S, Oidc
from handrail.accounts.sessions import SignInProblem

log = logging.getLogger("handrail.desk")

LEFT = "handrail_desk_oidc"
PATH = "/desk/api/oidc"
DESK = "../../"
"""From the callback's address."""

router = APIRouter(prefix="/oidc", dependencies=[Depends(counted_by_address)])


@router.get("/start")
async def start(request: Request, services: Needed) -> RedirectResponse:
    """To the provider, with a cookie that has to come back with the answer: Lax, since it comes from elsewhere."""
    provider = _provider(services)
    try:
        leaving = await provider.leave()
    except SignInProblem as problem:
        return _back(problem, request)
    response = _redirect(leaving.url)
    response.set_cookie(
        LEFT,
        leaving.sealed,
        max_age=int(AWAY_S),
        path=under_root(request, PATH),
        secure=encrypted(request.scope, services.settings.server.trusted_proxies > 0),
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/callback")
async def callback(request: Request, services: Needed) -> RedirectResponse:
    """Back from the provider: a session, or the sign-in page with the reason why there is none."""
    provider, sign_in = _provider(services), services.desk.sign_in
    try:
        signed = await sign_in.admit(await provider.come_back(request.query_params, request.cookies.get(LEFT)))
    except SignInProblem as problem:
        log.warning("sign-in refused: %s", problem)
        await sign_in.refused(problem)
        return _back(problem, request)
    response = _redirect(DESK)
    response.delete_cookie(LEFT, path=under_root(request, PATH))
    keep(signed, request, response, services)
    return response


def _provider(services: Needed) -> Oidc:
    if services.desk.oidc is None:
        raise ApiError(404, *BY_STATUS[404])
    return services.desk.oidc


def _back(problem: SignInProblem, request: Request) -> RedirectResponse:
    response = _redirect(f"{DESK}?problem={problem.code}")
    response.delete_cookie(LEFT, path=under_root(request, PATH))
    return response


def _redirect(url: str) -> RedirectResponse:
    return RedirectResponse(url, 303, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
