"""Signing in at the desk: sessions in a cookie, a token against forged requests, patience with wrong passwords."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b, sha256

from handrail.accounts.attempts import Attempts, Bucket
from handrail.accounts.known_browser import KnownBrowsers
from handrail.accounts.passwords import matches
from handrail.accounts.second_factor import SecondFactors
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


class CodeNeeded(HandrailError):
    """The password is right, and a one-time code is asked for, too."""


class WrongCode(HandrailError):
    """The one-time code is wrong, or was used before."""


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
    """Sessions of one tenant's people.

    A password is counted before it is looked at: per account and address, per address, and per account over all
    addresses. The right one is given back. A browser that has signed in to the account before is counted by itself
    alone, so that nobody can keep its owner out by guessing.
    """

    def __init__(
        self,
        people: People,
        book: DeskBook,
        clock: Callable[[], float],
        settings: Desk,
        attempts: Attempts,
        browsers: KnownBrowsers,
        factors: SecondFactors,
    ) -> None:
        self._people = people
        self._book = book
        self._clock = clock
        self._settings = settings
        self._attempts = attempts
        self._browsers = browsers
        self._factors = factors

    async def open(
        self, email: str, password: str, address: str, browser: str | None = None, code: str | None = None
    ) -> Signed:
        """A new session; `browser` is the mark it was given.

        Raises WrongPassword, CodeNeeded, WrongCode and TooManyFailures.
        """
        return await self.begin(await self.proven(email, password, address, browser, code))

    async def proven(
        self, email: str, password: str, address: str, browser: str | None = None, code: str | None = None
    ) -> UserRow:
        """Whose password it is, and code where the user has a second factor. Raises what `open` does."""
        email, place = email.strip().lower(), sha256(address.encode()).hexdigest()[:16]
        known = self._browsers.name(browser, email, self._clock())
        buckets = self._buckets(email, place, known)
        attempt = secrets.token_hex(12)
        wait = await self._attempts.take(attempt, buckets)
        if wait > 0:
            raise TooManyFailures(min(WINDOW_S, max(1, math.ceil(wait))))
        try:
            if known is None:
                await self._be_patient(email, place)
            user = await self._people.by_email(email)
        except HandrailError:
            await self._attempts.give_back(attempt, buckets)  # no password was looked at
            raise
        detail = {"from": place} if known is None else {"known": "yes"}
        if not await matches(user.password_hash if user else None, password) or user is None or not user.active:
            await self._book.log(FAILED, self._clock(), target=email[:254], detail=detail)
            raise WrongPassword("the e-mail or password is wrong")
        needed = await self._factors.is_on(user.id)
        if needed and code and not await self._factors.passes(user.id, code):
            await self._book.log(FAILED, self._clock(), target=email[:254], detail={**detail, "why": "code"})
            raise WrongCode("the code is wrong, or was used before")
        await self._attempts.give_back(attempt, buckets)
        if needed and not code:
            raise CodeNeeded("a one-time code is needed")
        return user

    def mark(self, user: UserRow) -> str:
        """What the browser keeps that has just signed in, to be known next time."""
        return self._browsers.mark(user.email, self._clock())

    async def admit(self, identity: Identity) -> Signed:
        """A new session for whom a provider vouches, with the role it gives; an account is made for who has none.

        Raises SignInProblem for a disabled account, and for an address that is somebody else's.
        """
        user = await self._people.by_subject(identity.subject)
        if user is None:
            user = await self._people.by_email(identity.email)
            if user is not None and user.subject is not None:
                raise SignInProblem("email_taken", f"{identity.email} belongs to another account", identity.email)
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
        return await self.begin(user, by="oidc")

    async def refused(self, problem: SignInProblem) -> None:
        """Remember that somebody was not let in."""
        target = problem.email[:254] if problem.email else None
        await self._book.log(FAILED, self._clock(), target=target, detail={"why": problem.code})

    async def begin(self, user: UserRow, **how: str) -> Signed:
        """A new session for whoever has just proven who it is."""
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

    def _buckets(self, email: str, place: str, known: str | None) -> list[Bucket]:
        most, of_account = self._settings.sign_in_failures, self._settings.sign_in_failures_of_account
        if known is not None:
            return [self._bucket(most, "browser", email, known)]
        return [
            self._bucket(most, "account at address", email, place),
            self._bucket(most * FROM_ONE_PLACE, "address", place),
            self._bucket(of_account, "account", email),
        ]

    def _bucket(self, most: int, *what: str) -> Bucket:
        """Addresses are few enough to be tried, so the hash takes a secret."""
        key = self._browsers.secret[:64]
        return Bucket(blake2b("\0".join(what).encode(), key=key, digest_size=16).hexdigest(), most)

    async def _be_patient(self, email: str, place: str) -> None:
        """What is on record counts too: several processes without Redis share it, and a restart forgets nothing."""
        now, most = self._clock(), self._settings.sign_in_failures
        found = await self._book.audit(action=FAILED, since=now - WINDOW_S, limit=2000)
        failures = [row for row in found if "from" in (row.detail or {})]
        here = [row for row in failures if (row.detail or {})["from"] == place]
        at_user = [row for row in here if row.target == email]
        of_user = [row for row in failures if row.target == email]
        of_account = self._settings.sign_in_failures_of_account
        for rows, limit in ((at_user, most), (here, most * FROM_ONE_PLACE), (of_user, of_account)):
            if len(rows) >= limit:
                raise TooManyFailures(max(1, int(rows[limit - 1].at + WINDOW_S - now)))


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
