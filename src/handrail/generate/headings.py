"""What a quoted sentence means nothing without: the heading it stands under, and what answers that heading first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from handrail.generate.units import ANAPHORA, Unit
from handrail.markdown import plain, without_number

YES_NO = re.compile(
    r"^(yes|no|not|never|only if|because|usually|mostly|sometimes|ja|nein|oui|non|s[ií]|sim|não|да|нет|نعم|لا)\b", re.I
)
"""A sentence that answers the question it stands under, and means nothing without it."""
CASE = re.compile(r"[?؟]$|^(?:if|when|after|once|before|without|you|i|my) ", re.I)
"""Headings that say in which case something holds: a question, "If you cancel", "You have no phone"."""
BRIEF = 5
"""Words of an answer to the question above it that what follows is not quoted without."""


def title_of(unit: Unit) -> str:
    """The heading in bold, or the article's title, as what follows is introduced; empty for a bare "Step 2:"."""
    heading = unit.headings[-1] if unit.headings else unit.hit.passage.title
    text = without_number(heading).rstrip(":.")
    return f"**{text}{'' if text.endswith('?') else ':'}**" if text else ""


def heading_of(unit: Unit) -> str:
    """The innermost one; empty above the first."""
    return unit.headings[-1] if unit.headings else ""


def section_of(unit: Unit) -> tuple[str, tuple[str, ...]]:
    """Passage and headings."""
    return unit.hit.passage.id, unit.headings


def place_of(unit: Unit) -> tuple[int, int]:
    """Its place in the reading order of its article."""
    return unit.hit.passage.position, unit.order


def article_of(unit: Unit) -> str:
    return unit.hit.passage.article_id


def answer_before(unit: Unit, found: Sequence[Unit]) -> Unit | None:
    """The yes, no or few words that answer the question above the unit, which only goes on after them."""
    if not unit.headings or not unit.headings[-1].endswith(("?", "؟")):
        return None
    first = min((other for other in found if section_of(other) == section_of(unit)), key=place_of, default=unit)
    answers = question_above(first) is not None or (first.kind == "sentence" and first.words <= BRIEF)
    return first if first != unit and answers else None


def headed(chosen: Sequence[Unit], found: Sequence[Unit]) -> list[str]:
    """What stands in front of each of the sentences: what it means nothing without, else the heading of its section.

    Sections have their headings where sentences of several are quoted, and those that say what holds in a case, or
    answer a question, where they are alone, too.
    """
    sections = [(article_of(unit), unit.headings) for unit in chosen]
    several = len(set(sections)) > 1
    above = []
    for place, unit in enumerate(chosen):
        begins = place == 0 or sections[place] != sections[place - 1]
        wanted = begins and bool(unit.headings) and (several or bool(CASE.search(unit.headings[-1])))
        above.append(_above(unit, found) or (f"{title_of(unit)}\n\n" if wanted else ""))
    return above


def _above(unit: Unit, found: Sequence[Unit]) -> str:
    """What a sentence means nothing without, in front of it: the question that its yes or no answers, or the heading
    that the "that" of a section's first sentence goes back to.
    """
    asked = question_above(unit)
    if asked:
        return f"**{asked}**\n\n"
    if not unit.headings or not ANAPHORA.match(plain(unit.lines[0])):
        return ""
    section = (other for other in found if article_of(other) == article_of(unit) and other.headings == unit.headings)
    return (
        ""
        if any(place_of(other) <= place_of(unit) and other is not unit for other in section)
        else f"{title_of(unit)}\n\n"
    )


def question_above(unit: Unit) -> str | None:
    """The heading that the unit says yes or no to; None where it does not."""
    heading = unit.headings[-1] if unit.headings else ""
    answers = unit.kind == "sentence" and heading.endswith(("?", "؟")) and YES_NO.match(plain(unit.lines[0]))
    return heading if answers else None
