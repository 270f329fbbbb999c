"""Which answers are kept and given again: decided once a turn is over, and it is known what became of its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from handrail.answer.cache import Store
from handrail.types import Critique, Draft, Question, Routing, Turn, Verified
from handrail.types.usage import NOTHING


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it was written, and what a model said of it when it was checked."""

    draft: Draft
    verified: Verified | None = None
    critique: Critique | None = None


@dataclass(slots=True)
class Slip:
    """What one turn was given, or has to give."""

    key: str = ""
    """Empty where the question is none that may be answered from the cache."""
    hit: Kept | None = None
    draft: Draft | None = None
    verified: Verified | None = None
    critique: Critique | None = None


KEPT = TypeAdapter(Kept)

_slip: ContextVar[Slip | None] = ContextVar("handrail_answer_cache", default=None)


def slip() -> Slip | None:
    """That of the turn at hand; None outside of turns that may use the cache."""
    return _slip.get()


class AnswerCache:
    """Answers by key, and for each turn the key of the answer it gave."""

    def __init__(self, answers: Store, turns: Store) -> None:
        self._answers = answers
        self._turns = turns

    async def turn(self, question: Question, run: Callable[[Question], Awaitable[Turn]]) -> Turn:
        """Run a turn that may be answered from the cache, and keep its answer if it may be given again."""
        own = Slip()
        token = _slip.set(own)
        try:
            finished = await run(question)
        finally:
            _slip.reset(token)
        if own.key:
            await self._settle(own, finished)
        return finished

    async def find(self, key: str) -> Kept | None:
        """None, too, for what another version wrote."""
        found = await self._answers.get(key)
        try:
            return KEPT.validate_json(found) if found is not None else None
        except ValidationError:
            return None

    async def rated_down(self, turn_id: str) -> None:
        """The answer of this turn is not given again, whichever turn it was written for."""
        key = await self._turns.get(turn_id)
        if key is not None:
            await self._answers.drop(key.decode())

    async def aclose(self) -> None:
        await self._answers.aclose()
        await self._turns.aclose()

    async def _settle(self, own: Slip, finished: Turn) -> None:
        good = finished.outcome.routing is Routing.ANSWERED and not finished.degraded
        if own.hit is not None and not good:
            await self._answers.drop(own.key)
        elif own.draft is not None and good:
            kept = Kept(replace(own.draft, usage=NOTHING), own.verified, own.critique)
            await self._answers.put(own.key, KEPT.dump_json(kept))
        if good:
            await self._turns.put(finished.question.turn_id, own.key.encode())
