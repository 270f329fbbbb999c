"""What belongs to a part of a procedure further on in its article: its table, and its later parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from handrail.generate.headings import article_of, place_of
from handrail.generate.units import Unit
from handrail.markdown import NUMBERED_SECTION

ORDINAL = re.compile(r"^(\d+)\.\s")


def announced(part: Unit, found: Sequence[Unit]) -> list[Unit]:
    """The table that a last step such as "Add these two records:" leads to."""
    if not part.lines[-1].rstrip().endswith(":"):
        return []
    return [unit for unit in found if unit.kind == "table" and _follows(unit, part)][:1]


def _follows(unit: Unit, part: Unit) -> bool:
    """Directly behind in the same passage, or first in the article's next one."""
    here, there = part.hit.passage, unit.hit.passage
    if here.id == there.id:
        return unit.order == part.order + 1
    return here.article_id == there.article_id and there.position == here.position + 1 and unit.order == 0


def following(best: Unit, found: Sequence[Unit]) -> list[Unit]:
    """Later parts of one procedure: a list that counts on behind a table or note, and sections `Step 2`, `Step 3` …"""
    run: list[Unit] = []
    lists = [unit for unit in found if unit.kind == "steps" and unit.hit.passage.article_id == article_of(best)]
    while part := _next(run[-1] if run else best, lists):
        run.append(part)
    return run


def _next(part: Unit, lists: Sequence[Unit]) -> Unit | None:
    """Only what comes later in the article, so that this ends whatever the numbers say."""
    later = sorted((unit for unit in lists if place_of(unit) > place_of(part)), key=place_of)
    ends, section = _ordinal(part.lines[-1]), _number(part)
    for unit in later:
        if unit.headings == part.headings and ends is not None and _ordinal(unit.lines[0]) == ends + 1:
            return unit
        if section is not None and _number(unit) == section + 1:
            return unit
    return None


def _ordinal(line: str) -> int | None:
    match = ORDINAL.match(line)
    return int(match.group(1)) if match else None


def _number(unit: Unit) -> int | None:
    match = NUMBERED_SECTION.match(unit.headings[-1]) if unit.headings else None
    return int(match.group(1)) if match else None
