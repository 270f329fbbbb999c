"""Answers that were probably wrong although the assistant was sure of them, by what happened after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from handrail.desk.learning.gaps import SAME, share_of
from handrail.desk.learning.library import Library
from handrail.desk.learning.personal import impersonal

Sign = Literal["contradicted", "repeated", "thumb_down"]
SIGNS: tuple[Sign, ...] = ("contradicted", "thumb_down", "repeated")
"""The gravest first."""
MOST_KEPT = 5000


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, and what came after it in its conversation."""

    turn_id: str
    conversation_id: str
    question: str
    answer: str
    articles: tuple[str, ...]
    confidence: float
    at: float
    thumb_down: bool
    replies: str
    """What agents wrote; empty where none did."""
    asked_next: str
    """The visitor's next question; empty where there was none."""


@dataclass(frozen=True, slots=True)
class Doubt:
    given: Given
    question: str
    """Without what tells of the visitor."""
    signs: tuple[Sign, ...]


class Answers(Protocol):
    async def answers(self, start: float, end: float) -> Sequence[Given]:
        """Those that something came after, in any order."""
        ...


class Doubts:
    """Doubtful answers of one tenant."""

    def __init__(self, records: Answers, library: Library) -> None:
        self._records = records
        self._library = library
        self._contradicted: dict[tuple[str, str], bool] = {}

    async def between(self, start: float, end: float) -> list[Doubt]:
        """Those with the gravest signs first, then those the assistant was most sure of.

        Raises RetryableError while the models are loading or busy.
        """
        found = []
        answers = await self._records.answers(start, end)
        repeated = await self._repeated([one for one in answers if one.asked_next])
        for one in answers:
            holds: Mapping[Sign, bool] = {
                "contradicted": bool(one.replies) and await self._is_contradicted(one),
                "repeated": one.turn_id in repeated,
                "thumb_down": one.thumb_down,
            }
            if any(holds.values()):
                signs = tuple(sign for sign in SIGNS if holds[sign])
                found.append(Doubt(one, impersonal(one.question), signs))
        return sorted(found, key=lambda one: ([sign not in one.signs for sign in SIGNS], -one.given.confidence))

    async def _is_contradicted(self, one: Given) -> bool:
        key = (one.turn_id, one.replies)
        if key not in self._contradicted:
            while len(self._contradicted) >= MOST_KEPT:
                self._contradicted.pop(next(iter(self._contradicted)))
            self._contradicted[key] = await self._library.contradicts(one.replies, one.answer)
        return self._contradicted[key]

    async def _repeated(self, answers: Sequence[Given]) -> set[str]:
        """Turns after which the same question was asked again, in the sense of the gaps."""
        if not answers:
            return set()
        made = await self._library.embed_questions([text for one in answers for text in (one.question, one.asked_next)])
        same = share_of(SAME, self._library.shelf().noise_floor)
        return {
            one.turn_id
            for one, asked, again in zip(answers, made[::2], made[1::2], strict=True)
            if float(asked @ again) >= same
        }
