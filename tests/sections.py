"""Outcomes made of whole sections, and of closest cards, for everything that carries and shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handrail.turn import outcome
from handrail.types import Asked, Card, Citation, Label, Outcome, Passage, Piece, Routing, Verdict
from tests.stages import passage

STEPS = "\n".join(
    f"{number}. {words}"
    for number, words in enumerate(
        (
            "Open **Garden** 🌱 and choose *Beds*.",
            "Pick the bed that you want to water.",
            "Set the timer to `20` minutes.",
            "Press **Start**. The pump begins at once.",
            "Wait until the lamp is green.",
            "Close the tap.",
        ),
        1,
    )
)
INTRO = "🌻🌻 Water early in the day.\n\n"
WATERING = INTRO + STEPS
ANSWERING = "Press **Start**."
FROST = "Drain the hose before the first frost. A frozen hose bursts.\n\nKeep it indoors until spring."

WATER_PASSAGE = passage("garden:water/1", WATERING, title="Water the beds", headings=("By timer",))
FROST_PASSAGE = passage("garden:frost/0", FROST, title="Winter", headings=("Hoses", "Frost"))


def range_of(part: str, whole: str) -> tuple[int, int]:
    start = whole.index(part)
    return start, start + len(part)


def piece(source: Passage, markdown: str, *, answers: str | None = None, fold_at: str | None = None) -> Piece:
    """`answers` is the sentence that does; `fold_at` is the text that the folded part begins with."""
    return Piece(
        markdown=markdown,
        title=source.title,
        section=" › ".join(source.headings),
        passage_id=source.id,
        article_id=source.article_id,
        url=source.url,
        answering=range_of(answers, markdown) if answers else None,
        collapsed_after=markdown.index(fold_at) if fold_at else None,
        steps=sum(line[:1].isdigit() for line in markdown.splitlines()),
    )


WATER = piece(WATER_PASSAGE, WATERING, answers=ANSWERING, fold_at="5. ")
HOSES = piece(FROST_PASSAGE, FROST)


def whole(pieces: Sequence[Piece], sources: Sequence[Passage], *, before: str = "", after: str = "") -> Outcome:
    """An answer that is made of `pieces`, each of which cites its own of `sources`."""
    answer = f"{before}\n\n" if before else ""
    placed = []
    for index, (one, source) in enumerate(zip(pieces, sources, strict=True), 1):
        if len(pieces) > 1:
            answer += f"**{source.title}**\n\n"
        text = f"{one.markdown} [{index}]"
        placed.append(replace(one, citation=index, span=(len(answer), len(answer) + len(text))))
        answer += f"{text}\n\n"
    citations = [Citation(index, source, 0.9, "supported") for index, source in enumerate(sources, 1)]
    result = outcome.answered((answer + after).strip(), Verdict.FULLY, citations, 0.9)
    asked = Asked("How do I water the beds?", Label.ANSWERABLE, Routing.ANSWERED, (1,))
    return replace(result, pieces=tuple(placed), requests=(asked,))


BOTH = whole((WATER, HOSES), (WATER_PASSAGE, FROST_PASSAGE), before="Happy to help 🌼.", after="Enjoy the garden.")
ONE = whole((WATER,), (WATER_PASSAGE,))
CLOSEST = Outcome(
    Routing.LOW_CONFIDENCE,
    f"These look closest.\n\n{FROST}",
    disclaimer="There is no clear answer to this.",
    confidence=0.4,
    closest=(Card(HOSES, open=True), Card(WATER)),
)
