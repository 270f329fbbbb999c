"""Signing in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from api.dependencies import Needed, Services, Visitor, json_only
from api.desk_access import COOKIE, PATH, SignedIn, factor_missing, under_root, user_view
from api.desk_schemas import SignInRequest
from api.errors import ApiError
from api.middleware.headers import encrypted
from handrail.accounts.known_browser import VALID_S
from handrail.accounts.sessions import CodeNeeded, Signed, TooManyFailures, WrongCode, WrongPassword

KNOWN = "handrail_desk_known"

router = APIRouter()


@router.post("/sign-in", dependencies=[Depends(json_only)])
async def sign_in(
    body: SignInRequest, request: Request, response: Response, services: Needed, address: Visitor
) -> dict[str, Any]:
    """A session for whoever knows the password; another site cannot start one, since a JSON body is asked for."""
    if not services.settings.oidc.passwords:
        raise ApiError(403, "no_passwords", "Sign in with your company account.")
    with refusals():
        known = request.cookies.get(KNOWN)
        signed = await services.desk.sign_in.open(body.email, body.password, address, known, body.code)
    keep(signed, request, response, services)
    return await session_view(signed, services)


@router.post("/sign-out", status_code=204)
async def sign_out(request: Request, agent: SignedIn, response: Response, services: Needed) -> None:
    await services.desk.sign_in.close(agent.token)
    await services.desk.presence.gone(f"agent:{agent.user.id}", user_id=agent.user.id)
    response.delete_cookie(COOKIE, path=under_root(request))


@router.get("/me")
async def me(agent: SignedIn, services: Needed) -> dict[str, Any]:
    return await session_view(agent, services)


@router.get("/ways")
async def ways(services: Needed) -> dict[str, Any]:
    """How one may sign in: with a password, and the words on the button of the company's accounts."""
    oidc = services.settings.oidc
    return {"password": oidc.passwords, "oidc": oidc.label if oidc.issuer else None}


@contextmanager
def refusals(status: int = 401) -> Iterator[None]:
    """What a password or a code is refused with."""
    try:
        yield
    except WrongPassword:
        raise ApiError(status, "wrong_password", "The e-mail or password is wrong.") from None
    except CodeNeeded:
        raise ApiError(status, "code_needed", "Enter the code from your authenticator app.") from None
    except WrongCode:
        raise ApiError(status, "wrong_code", "The code is wrong, or was used before.") from None
    except TooManyFailures as error:
        raise ApiError(
            429, "rate_limited", "Too many wrong passwords. Please wait.", retry_after_s=error.retry_after_s
        ) from None


async def session_view(signed: Signed, services: Services) -> dict[str, Any]:
    """What the page begins with."""
    missing = await factor_missing(signed, services)
    return {"user": user_view(signed.user), "csrf": signed.csrf, "second_factor_missing": missing}


def keep(signed: Signed, request: Request, response: Response, services: Services) -> None:
    """Put the session into its cookie, and what makes the browser known into another, for signing in alone."""
    settings = services.settings
    mark = services.desk.sign_in.mark(signed.user)
    for name, value, seconds, path in (
        (COOKIE, signed.token, settings.desk.session_hours * 3600, under_root(request)),
        (KNOWN, mark, VALID_S, under_root(request, f"{PATH}/api/sign-in")),
    ):
        response.set_cookie(
            name,
            value,
            max_age=seconds,
            path=path,
            secure=encrypted(request.scope, settings.server.trusted_proxies > 0),
            httponly=True,
            samesite="strict",
        )
