"""What a section's guidance asked for, and whether the section's text answers it: a probability for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from handrail.answer.gate import Bands
from handrail.report import EVEN, Asked
from handrail.report.evidence import Found, Looked
from handrail.types import Claim

Judge = Callable[[Sequence[str], str, str], Awaitable[Sequence[float | None]]]
"""Of each thing asked, that a section's heading and text answer it; None where that could not be told."""


def nothing(found: Found) -> tuple[Asked, ...]:
    """For a section without text."""
    return tuple(_asked(one, 0.0, answered=False) for one in found.asked)


def of_quotes(found: Found, claims: Sequence[Claim], bands: Bands) -> tuple[Asked, ...]:
    """By the gate: the probability that one of the quoted sections answers, as retrieval found it."""
    shown = {claim.piece.passage_id for claim in claims if claim.piece is not None}
    asked = []
    for one in found.asked:
        of_shown = (each.probability for each in one.evidence.sections if each.cited in shown)
        likely = 0.0 if one.evidence.unlisted else max(of_shown, default=0.0)
        asked.append(_asked(one, likely, answered=likely >= bands.answered))
    return tuple(asked)


async def of_text(found: Found, text: str, judge: Judge) -> tuple[Asked, ...]:
    """By a decision: is it likelier than not that the text, as it was written, answers it?"""
    told = await judge([one.text for one in found.asked], found.part.heading, text)
    return tuple(
        _asked(one, likely, answered=likely is not None and likely >= EVEN)
        for one, likely in zip(found.asked, told, strict=True)
    )


def _asked(one: Looked, probability: float | None, *, answered: bool) -> Asked:
    return Asked(
        text=one.text,
        probability=None if probability is None else round(probability, 4),
        answered=answered,
        found=one.band,
        closest=one.closest,
    )
