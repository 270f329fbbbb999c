"""Credentials of one tenant that are shown at another's addresses: refused like any others, and then remembered.

The tenant that was reached for has it in its audit log, without a word of whose the credential is; the operator's log
names both. What is written and looked up for it is bounded, so that nobody can fill a disk or a database that way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import Scope

from api.dependencies import Services
from api.desk_access import COOKIE
from handrail.accounts.api_keys import is_key
from handrail.accounts.limits import Allowed
from handrail.accounts.limits.in_process import InProcessLimiter
from handrail.accounts.limits.rules import DAY, MINUTE, Rule
from handrail.accounts.limits.visitor import visitor_of
from handrail.errors import HandrailError

log = logging.getLogger("handrail.tenants")

ACTION = "crossing"
REFUSED = 400
"""The least status of a refusal."""
PER_DAY = 100
"""Entries in a tenant's audit log within 24 hours, from one process."""
LOOKS_PER_MINUTE = 20
"""Sessions and keys that are looked up in the records of others. Tokens of visitors are checked by their signature."""
LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class Shown:
    """The credentials of a request."""

    bearer: str
    session: str


def shown_in(scope: Scope) -> Shown | None:
    """None where it shows none."""
    headers = Headers(scope=scope)
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    cookies = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    session = cookies[COOKIE].value if COOKIE in cookies else ""
    shown = Shown(bearer.strip() if scheme.lower() == "bearer" else "", session)
    return shown if shown.bearer or shown.session else None


class Crossings:
    def __init__(self) -> None:
        self._writing = asyncio.Lock()
        self._looks: InProcessLimiter | None = None

    async def look(
        self, name: str, serving: Mapping[str, FastAPI], shown: Shown, refused: tuple[int, str], scope: Scope
    ) -> None:
        """Remember it if `shown`, with which a request to the tenant `name` was `refused`, is another's of `serving`.

        `refused` is the status, and the path below what the tenant's addresses begin with.
        """
        services = {tenant: app.state.services for tenant, app in serving.items() if hasattr(app.state, "services")}
        target: Services | None = services.pop(name, None)
        if target is None:
            return
        try:
            found = _signed(services, shown) or await self._on_record(target, services, shown)
            if found is not None:
                await self._remember(name, target, *found, refused, scope)
        except HandrailError as error:
            log.warning("%s; whether a credential is another tenant's isn't known", error)

    async def _on_record(
        self, target: Services, services: Mapping[str, Services], shown: Shown
    ) -> tuple[str, str] | None:
        if not (shown.session or is_key(shown.bearer)):
            return None
        if self._looks is None:
            self._looks = InProcessLimiter([Rule(ACTION, MINUTE, LOOKS_PER_MINUTE, False)], target.desk.clock)
        if not isinstance(await self._looks.hit(None), Allowed):
            return None
        for tenant, other in services.items():
            if shown.session and await other.desk.sign_in.find(shown.session) is not None:
                return tenant, "session"
            if is_key(shown.bearer) and await other.desk.keys.made(shown.bearer):
                return tenant, "API key"
        return None

    async def _remember(
        self, name: str, target: Services, other: str, kind: str, refused: tuple[int, str], scope: Scope
    ) -> None:
        desk, now = target.desk, target.desk.clock()
        status, path = refused[0], quote(refused[1])[:LONGEST_PATH]
        detail = {"method": scope["method"], "with": kind, "status": status, "from": _place(target, scope)}
        async with self._writing:
            if len(await desk.book.audit(action=ACTION, since=now - DAY, limit=PER_DAY)) >= PER_DAY:
                return
            await desk.book.log(ACTION, now, target=path, detail=detail)
        log.warning("tenant %s: %s %s refused with a %s of tenant %s", name, scope["method"], path, kind, other)


def _signed(services: Mapping[str, Services], shown: Shown) -> tuple[str, str] | None:
    """Whose token of a visitor it is, told without a look at any records."""
    made = (tenant for tenant, other in services.items() if shown.bearer and other.desk.tokens.made(shown.bearer))
    tenant = next(made, None)
    return (tenant, "visitor token") if tenant is not None else None


def _place(services: Services, scope: Scope) -> str:
    """Tells one address from another and is none, as for failed sign-ins."""
    peer = scope["client"][0] if scope.get("client") else None
    forwarded = Headers(scope=scope).getlist("x-forwarded-for")
    address = visitor_of(peer, forwarded, services.settings.server.trusted_proxies)
    return sha256(address.encode()).hexdigest()[:16]
