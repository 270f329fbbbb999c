"""Each turn is run once, however often and however simultaneously it is asked for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from handrail.errors import PermanentError, RetryableError
from handrail.records import RecordsUnavailable
from handrail.records.turns import Claimed, Conflict, ConversationBusy, Finished, InFlight, Response, TurnKey, Turns

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 0.25

Work = Callable[[], Awaitable[Response]]


class TurnConflict(PermanentError):
    """The turn id was used for another question or another conversation; a new question needs a new id."""


class StillRunning(RetryableError):
    """An earlier turn of the conversation, or this very turn, has not finished in time."""


class Once:
    """Waits up to `queue_s` for another turn of the conversation and up to `turn_s` for the same turn."""

    def __init__(self, turns: Turns, clock: Callable[[], float], *, queue_s: float, turn_s: float) -> None:
        self._turns = turns
        self._clock = clock
        self._queue_s = queue_s
        self._turn_s = turn_s

    async def run(self, key: TurnKey, work: Work) -> Response:
        """The stored response of the turn, or that of `work`, which is then stored.

        When `work` raises, the turn can be asked for again. Raises TurnConflict and StillRunning.
        """
        claim = await self.claim(key)
        return claim.response if isinstance(claim, Finished) else await self.carry_out(key, work)

    async def claim(self, key: TurnKey, *, wait_for_itself: bool = True) -> Claimed | Finished | InFlight:
        """Take the turn, which must then be carried out, or give its stored response.

        Without a database the turn is the caller's: repeated ids are then not recognised, but the visitor is answered.
        `wait_for_itself=False` gives InFlight while this very turn is being run. Raises TurnConflict and StillRunning.
        """
        try:
            return await self._wait_for_turn(key, wait_for_itself)
        except RecordsUnavailable as error:
            log.warning("%s; the turn is answered but not recorded", error)
            return Claimed()

    async def carry_out(self, key: TurnKey, work: Work) -> Response:
        """The response of `work` for a claimed turn, stored."""
        try:
            response = await work()
        except BaseException:
            await asyncio.shield(self.give_back(key))
            raise
        await asyncio.shield(self._quietly(self._turns.finish(key.turn_id, response)))
        return response

    async def give_back(self, key: TurnKey) -> None:
        """A claimed turn is not carried out after all; it can be asked for again."""
        await self._quietly(self._turns.release(key.turn_id))

    async def stored(self, turn_id: str) -> Response | None:
        """The response of a finished turn. Raises RecordsUnavailable."""
        return await self._turns.response(turn_id, self._clock())

    async def conversation(self, turn_id: str) -> str | None:
        """The conversation of a turn that runs or is kept, None where there is none. Raises RecordsUnavailable."""
        return await self._turns.conversation(turn_id)

    async def _wait_for_turn(self, key: TurnKey, wait_for_itself: bool) -> Claimed | Finished | InFlight:
        since, pause = self._clock(), FIRST_PAUSE_S
        while True:
            claim = await self._turns.claim(key, self._clock())
            match claim:
                case Claimed() | Finished():
                    return claim
                case InFlight() if not wait_for_itself:
                    return claim
                case Conflict():
                    raise TurnConflict("this turn_id was used for another question or another conversation")
            patience = self._queue_s if isinstance(claim, ConversationBusy) else self._turn_s
            if self._clock() - since + pause > patience:
                raise StillRunning("an earlier question of this conversation is still being answered")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _quietly(self, store: Awaitable[None]) -> None:
        """The answer is worth more than its record."""
        try:
            await store
        except RecordsUnavailable as error:
            log.warning("%s; the turn isn't recorded", error)
