"""Exchanging visitor tokens: each once, and dead a minute later.

A request is checked without a read of its own. Every process knows the exchanges of the last quarter of an hour, longer
than which no token is valid anyway, and reads those of the others more often than the minute of grace takes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from hashlib import sha256

from handrail.accounts.visitor_token import ROTATES_S, VALID_S, BadToken, TokenSigner, new_visitor_id
from handrail.records import RecordsUnavailable
from handrail.records.visitor_tokens import Exchanged, VisitorTokenRecords

log = logging.getLogger(__name__)

GRACE_S = 60
"""How long an exchanged token is still taken, for requests under way and a reply that got lost."""
BEFORE_THE_FIRST = -1
"""A proof stands for a token of this generation."""
LOOK_S = 15
MARGIN_S = 30
"""Read again, for exchanges that others were writing at the last look."""


class VisitorTokens:
    """Those of one tenant; `clock` returns seconds since the epoch."""

    def __init__(self, signer: TokenSigner, records: VisitorTokenRecords, clock: Callable[[], float]) -> None:
        self._signer = signer
        self._records = records
        self._clock = clock
        self._exchanged: dict[str, Exchanged] = {}
        self._looked_at = self._read_until = float("-inf")
        self._looking = asyncio.Lock()

    def begin(self) -> tuple[str, str]:
        """A new visitor's id and token."""
        visitor_id = new_visitor_id()
        return visitor_id, self._signer.issue(visitor_id, self._clock())

    async def begin_once(self, visitor_id: str) -> tuple[str, str]:
        """The visitor whom a proof has made; again only within a minute, for a reply that got lost.

        Raises BadToken and RecordsUnavailable.
        """
        now, visitor = self._clock(), _hash(visitor_id)
        latest = await self._records.exchange(visitor, BEFORE_THE_FIRST, now)
        if _dead(BEFORE_THE_FIRST, latest, now):
            raise BadToken(expired=False)
        return visitor_id, self._signer.issue(visitor_id, latest.at, latest.generation)

    async def renew(self, token: str) -> tuple[str, str]:
        """The visitor of a valid or recently expired token, and the token that replaces it.

        A second exchange within the minute of grace gives the same one. Raises BadToken and RecordsUnavailable.
        """
        now, given = self._clock(), self._signer.read(token)
        if given.expires + ROTATES_S < now:
            raise BadToken(expired=False)
        visitor = _hash(given.visitor_id)
        latest = self._exchanged[visitor] = await self._records.exchange(visitor, given.generation, now)
        if _dead(given.generation, latest, now):
            raise BadToken(expired=False)
        return given.visitor_id, self._signer.issue(given.visitor_id, latest.at, latest.generation)

    async def visitor(self, token: str) -> str:
        """The visitor a token was made for. Raises BadToken.

        While the records are away, exchanges that this process hasn't heard of are not known.
        """
        now, given = self._clock(), self._signer.read(token)
        if given.expires < now:
            raise BadToken(expired=given.expires + ROTATES_S >= now)
        await self._look(now)
        latest = self._exchanged.get(_hash(given.visitor_id))
        if latest is not None and _dead(given.generation, latest, now):
            raise BadToken(expired=False)
        return given.visitor_id

    def made(self, token: str) -> bool:
        """Whether it is one of this tenant's, whatever its age."""
        try:
            self._signer.read(token)
        except BadToken:
            return False
        return True

    async def forget(self) -> int:
        """Delete exchanges of tokens that nobody can use or exchange any more; how many."""
        return await self._records.forget(self._clock() - VALID_S - ROTATES_S)

    async def _look(self, now: float) -> None:
        async with self._looking:
            if now - self._looked_at < LOOK_S:
                return
            self._looked_at, oldest = now, now - VALID_S - GRACE_S
            try:
                found = await self._records.since(max(self._read_until - MARGIN_S, oldest))
            except RecordsUnavailable as error:
                log.warning("%s; visitor tokens that were exchanged elsewhere aren't known", error)
                return
            self._read_until = now
            known = self._exchanged = {who: one for who, one in self._exchanged.items() if one.at >= oldest}
            for who, one in found.items():
                if who not in known or known[who].generation < one.generation:
                    known[who] = one


def _dead(generation: int, latest: Exchanged, now: float) -> bool:
    """Whether a newer token counts, apart from the one before it for a minute."""
    if generation >= latest.generation:
        return False
    return generation < latest.generation - 1 or now > latest.at + GRACE_S


def _hash(visitor_id: str) -> str:
    return sha256(visitor_id.encode()).hexdigest()
