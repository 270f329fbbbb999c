"""Signing in at the desk: sessions in a cookie, a token against forged requests, patience with wrong passwords."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from handrail.accounts.passwords import matches
from handrail.errors import HandrailError
from handrail.records.desk_book import DeskBook
from handrail.records.desk_tables import UserRow
from handrail.records.people import People
from handrail.settings import Desk

WINDOW_S = 900
FROM_ONE_PLACE = 4
"""Times as many wrong passwords from one network address, over all users, before it has to wait."""
FAILED = "sign_in_failed"
NO_PASSWORD = ""
"""No password matches it."""


class Role(StrEnum):
    AGENT = "agent"
    LEAD = "lead"
    ADMIN = "admin"


RANK = {Role.AGENT: 0, Role.LEAD: 1, Role.ADMIN: 2}


class WrongPassword(HandrailError):
    """Address and password do not belong together; which of them is wrong is not told."""


class TooManyFailures(HandrailError):
    """Signing in has failed too often lately."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many wrong passwords")
        self.retry_after_s = retry_after_s


class SignInProblem(HandrailError):
    """Signing in elsewhere came to nothing; `code` says why, for the page."""

    def __init__(self, code: str, message: str, email: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.email = email


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody whom a provider vouches for."""

    subject: str
    """Who it is there, whatever becomes of the address: SHA-256 of issuer and subject."""
    email: str
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Signed:
    """A user with a session; `token` is what the cookie holds."""

    user: UserRow
    csrf: str
    token: str


class SignIn:
    def __init__(self, people: People, book: DeskBook, clock: Callable[[], float], settings: Desk) -> None:
        self._people = people
        self._book = book
        self._clock = clock
        self._settings = settings

    async def open(self, email: str, password: str, address: str) -> Signed:
        """A new session. Raises WrongPassword and TooManyFailures."""
        email, place = email.strip().lower(), sha256(address.encode()).hexdigest()[:16]
        await self._be_patient(email, place)
        user = await self._people.by_email(email)
        if not await matches(user.password_hash if user else None, password) or user is None or not user.active:
            await self._book.log(FAILED, self._clock(), target=email[:254], detail={"from": place})
            raise WrongPassword("e-mail address and password do not belong together")
        return await self._begun(user)

    async def admit(self, identity: Identity) -> Signed:
        """A new session for whom a provider vouches, with the role it gives; an account is made for who has none.

        Raises SignInProblem for a disabled account, and for an address that is somebody else's.
        """
        user = await self._people.by_subject(identity.subject)
        if user is None:
            user = await self._people.by_email(identity.email)
            if user is not None and user.subject is not None:
                raise SignInProblem("email_taken", f"{identity.email} is somebody else's", identity.email)
        if user is None:
            now, subject = self._clock(), identity.subject
            user = await self._people.add(
                identity.email, identity.name, identity.role.value, NO_PASSWORD, now, subject=subject
            )
            await self._book.log("add_user", now, target=user.email, detail={"role": user.role, "by": "oidc"})
        elif not user.active:
            raise SignInProblem("disabled", f"{identity.email} is disabled", identity.email)
        else:
            await self._people.change(user.id, role=identity.role.value, subject=identity.subject)
            user.role = identity.role.value
        return await self._begun(user, by="oidc")

    async def refused(self, problem: SignInProblem) -> None:
        """Remember that somebody was not let in."""
        target = problem.email[:254] if problem.email else None
        await self._book.log(FAILED, self._clock(), target=target, detail={"why": problem.code})

    async def _begun(self, user: UserRow, **how: str) -> Signed:
        token, csrf, now = secrets.token_urlsafe(32), secrets.token_urlsafe(24), self._clock()
        await self._people.open_session(_hash(token), user.id, csrf, now, now + self._settings.session_hours * 3600)
        await self._book.log("sign_in", now, user_id=user.id, target=user.email, detail=how or None)
        return Signed(user, csrf, token)

    async def find(self, token: str) -> Signed | None:
        """Whoever's session it is, if it has not run out."""
        found = await self._people.session(_hash(token), self._clock())
        return Signed(found[0], found[1].csrf, token) if found else None

    async def close(self, token: str) -> None:
        await self._people.close_session(_hash(token))

    async def _be_patient(self, email: str, place: str) -> None:
        """Counted in the records, so that several processes count together and a restart forgets nothing."""
        now, most = self._clock(), self._settings.sign_in_failures
        failures = await self._book.audit(action=FAILED, since=now - WINDOW_S, limit=2000)
        here = [row for row in failures if (row.detail or {}).get("from") == place]
        at_user = [row for row in here if row.target == email]
        for rows, limit in ((at_user, most), (here, most * FROM_ONE_PLACE)):
            if len(rows) >= limit:
                raise TooManyFailures(max(1, int(rows[limit - 1].at + WINDOW_S - now)))


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
