"""The critique of a written answer by the local reader."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from handrail.answer.decided_critique import LONGEST, DecidedCritic, stretches
from handrail.types import Claim, Draft, Evidence, Verdict
from tests.answers import question

pytestmark = pytest.mark.anyio

NOTHING = Evidence("", ())
LEVELS = ("off_topic", "related", "in_part", "answers")


def draft(*texts: str, own: Verdict | None = None) -> Draft:
    return Draft(tuple(Claim(text, ("a/1",)) for text in texts), "llm", self_verdict=own)


class Judged:
    """Gives levels by text, and keeps what it was asked."""

    def __init__(self, **levels: tuple[float, float, float, float] | None) -> None:
        self._levels = levels
        self.asked: list[tuple[str, str]] = []

    async def __call__(self, request: str, text: str) -> Mapping[str, float] | None:
        self.asked.append((request, text))
        found = next((levels for word, levels in self._levels.items() if word in text), (0.1, 0.8, 0.05, 0.05))
        return None if found is None else dict(zip(LEVELS, found, strict=True))


async def verdict(judge: Judged, given: Draft, lang: str = "en") -> Verdict:
    critic = DecidedCritic(judge, lambda code: code == "en")
    return (await critic.critique(question("how long do refunds take", lang=lang), given, NOTHING)).verdict


@pytest.mark.parametrize(
    ("levels", "own", "expected"),
    [
        ((0.0, 0.1, 0.3, 0.6), Verdict.FULLY, Verdict.FULLY),
        ((0.0, 0.1, 0.3, 0.6), None, Verdict.FULLY),
        ((0.0, 0.1, 0.3, 0.6), Verdict.PARTLY, Verdict.PARTLY),
        ((0.1, 0.7, 0.1, 0.1), Verdict.FULLY, Verdict.PARTLY),
        ((0.8, 0.1, 0.1, 0.0), Verdict.FULLY, Verdict.CANNOT),
    ],
)
async def test_the_writers_own_verdict_can_only_be_lowered(
    levels: tuple[float, float, float, float], own: Verdict | None, expected: Verdict
) -> None:
    assert await verdict(Judged(days=levels), draft("Refunds take five days.", own=own)) is expected


async def test_an_answer_is_as_good_as_its_best_stretch() -> None:
    filler = " ".join(["word"] * LONGEST)
    judge = Judged(days=(0.0, 0.1, 0.3, 0.6), word=(0.9, 0.1, 0.0, 0.0))

    assert await verdict(judge, draft(filler, "Refunds take five days.", filler)) is Verdict.FULLY
    assert len(judge.asked) == 3


@pytest.mark.parametrize("given", [Draft((), "llm"), draft("Refunds.", own=Verdict.CANNOT)])
async def test_a_draft_that_gives_up_is_not_judged(given: Draft) -> None:
    judge = Judged()

    assert await verdict(judge, given) is Verdict.CANNOT
    assert judge.asked == []


@pytest.mark.parametrize(("own", "expected"), [(Verdict.FULLY, Verdict.FULLY), (None, Verdict.PARTLY)])
async def test_what_the_judge_does_not_read_or_cannot_tell_is_left_to_the_writer(
    own: Verdict | None, expected: Verdict
) -> None:
    told = draft("Erstattungen dauern fünf Tage.", own=own)

    assert await verdict(Judged(), told, lang="de") is expected
    assert await verdict(Judged(dauern=None), told) is expected


def test_stretches_hold_whole_claims_with_their_headings_and_lose_none() -> None:
    claims = tuple(Claim(f"{number} " + "word " * 30, ("a/1",), heading=f"## {number}") for number in range(7))

    runs = stretches(Draft(claims, "llm"))

    assert "\n".join(runs) == "\n".join(f"{claim.heading}\n{claim.text}" for claim in claims)
    assert all(len(run.split()) <= LONGEST for run in runs)
