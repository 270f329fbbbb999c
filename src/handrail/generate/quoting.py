"""What a quotation is made of, and code among the words of its section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handrail.generate.headings import place_of, section_of, title_of
from handrail.generate.units import ANAPHORA, Unit
from handrail.markdown import plain
from handrail.types import Claim

BESIDE = 1.0
"""Points a further unit of the same article may lie below the best one."""
ABOUT_CODE = 3.0
"""Points that a sentence may lie below code that nothing introduces: without words it says little."""
SENTENCES = 2
"""Sentences about code that nothing introduces."""


@dataclass(frozen=True, slots=True)
class Scored:
    unit: Unit
    score: float
    """Points: how well it fits the question, and its passage."""
    logit: float
    """How well it fits, on the scale of the cross-encoder's logits."""


def quote(text: str, source: tuple[str, ...]) -> Claim:
    """Word for word from its passage, and so supported by it."""
    return Claim(text, source, support="supported")


def heading_above(unit: Unit) -> str:
    """The section's heading as a lead-in; a question makes none."""
    title = title_of(unit)
    return "" if title.endswith("?**") else title


def code_among_words(code: Unit, scored: Sequence[Scored], found: Sequence[Unit]) -> list[Claim]:
    """Code among the sentences of its section that fit well enough, in reading order.

    Fewer where one introduces it, and with it the one that this goes back to.
    """
    points, most = (BESIDE, 1) if code.lead else (ABOUT_CODE, SENTENCES)
    said = [
        item.unit
        for item in scored
        if item.score >= scored[0].score - points
        and item.unit.kind in ("note", "sentence")
        and section_of(item.unit) == section_of(code)
        and not ANAPHORA.match(plain(item.unit.lines[0]))
    ]
    if ANAPHORA.match(plain(code.lead)):
        said = [unit for unit in found if section_of(unit) == section_of(code) and unit.order == code.order - 1]
    chosen = sorted([code, *said[:most]], key=place_of)
    titled = chosen[0] is code or bool(code.lead)
    return [
        code_claim(unit) if unit is code and titled else quote(unit.lines[0], (unit.hit.passage.id,)) for unit in chosen
    ]


def code_claim(code: Unit) -> Claim:
    """A block of code behind what introduces it, or the heading of its section."""
    lead = code.lead or heading_above(code)
    return quote(f"{lead}\n\n{code.lines[0]}" if lead else code.lines[0], (code.hit.passage.id,))
