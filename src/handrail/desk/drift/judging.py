"""An answer before the judge, the same for a visitor's and for one of the golden set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handrail.desk.learning.personal import impersonal
from handrail.llm.judge import AnswerRating, Judge, ReferenceRating

MOST_BEFORE = 3
"""Earlier questions that the judge is shown."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a visitor is shown, as `/ask` sends it and the records keep it."""

    question: str
    passages: Sequence[Mapping[str, Any]]
    claims: Sequence[Mapping[str, Any]]
    closest: Sequence[Mapping[str, Any]] = ()
    before: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    grade: int
    note: str
    """Where it comes from."""


async def judged(judge: Judge, given: Given) -> Judged | None:
    """The lower of two ratings: do the articles say it, and does it answer the question? None of an answer that cites
    nothing.

    The judge sees it without personal data. Raises RetryableError or PermanentError when the judge fails.
    """
    passages, pairs = _checked(given)
    if not pairs:
        return None
    rating = await judge.rate(
        "judge_answer",
        AnswerRating,
        question=impersonal(given.question),
        before="\n".join(impersonal(text) for text in given.before[-MOST_BEFORE:]),
        passages=passages,
        pairs=pairs,
    )
    return Judged(
        min(rating.faithfulness, rating.relevancy),
        f"faithful {rating.faithfulness}, to the point {rating.relevancy}",
    )


async def judged_against(judge: Judge, given: Given, answer: str, must_say: Sequence[str]) -> Judged:
    """From 1 where the answer says none of what it must, or denies it, to 5 where it says all."""
    passages, _ = _checked(given)
    rating = await judge.rate(
        "judge_reference",
        ReferenceRating,
        question=given.question,
        answer=answer,
        statements=list(must_say),
        passages=passages,
    )
    if rating.contradicts:
        return Judged(1, "denies what it must say")
    said = {number for number in rating.given if 1 <= number <= len(must_say)}
    missing = [statement for number, statement in enumerate(must_say, 1) if number not in said]
    note = f"does not say: {'; '.join(missing)}" if missing else "says all it must"
    return Judged(1 + 4 * len(said) // len(must_say), note)


def _checked(given: Given) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """The passages, and each claim with the number of each passage it cites; a card's section is its own passage."""
    if given.closest:
        cards = [card["piece"] for card in given.closest]
        shown = [{"title": piece["title"], "text": piece["markdown"]} for piece in cards]
        return shown, [{"claim": piece["text"], "passage": number} for number, piece in enumerate(shown, 1)]
    place = {passage.get("index", number): number for number, passage in enumerate(given.passages, 1)}
    passages = [{"title": passage.get("title", ""), "text": passage.get("excerpt", "")} for passage in given.passages]
    pairs = [
        {"claim": claim["text"], "passage": place[index]}
        for claim in given.claims
        for index in claim.get("citations", ())
        if index in place
    ]
    return passages, pairs
