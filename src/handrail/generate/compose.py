"""From scored units to the claims of a short, readable answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handrail.generate.units import Unit
from handrail.markdown import plain
from handrail.settings import Generate
from handrail.stores.tokens import tokenize
from handrail.types import Claim

ANAPHORA = re.compile(
    r"^(use it|use this|it|its|this|that|these|those|they|them|their|he|she|then|there|both|such|otherwise|instead|"
    r"also|in that case|the same|after that)\b",
    re.I,
)
YES_NO = re.compile(r"^(yes|no|not? yet|never|only if|because|ja|nein|oui|non|s[ií]|sim|não|да|нет|نعم|لا)\b", re.I)
"""A sentence that answers the question it stands under, and means nothing without it."""
NUMBERED_SECTION = re.compile(r"^step (\d+)\b[:.]?\s*", re.I)
ORDINAL = re.compile(r"^(\d+)\.\s")
BESIDE = 1.0
"""Points a further unit of the same article may lie below the best one."""
ELSEWHERE = 0.3
"""The same for a unit of another article."""
ALSO, ALSO_LOGITS = 2.5, 3.0
"""Points and logits that the best unit of a second section may lie below the best of all: it is then quoted, too."""
ALSO_AFTER = 80
"""Words of a first part behind which no second one is quoted."""
SAME = 0.7
"""Jaccard overlap of words from which two sentences say the same."""


@dataclass(frozen=True, slots=True)
class Scored:
    unit: Unit
    score: float
    """Points: how well it fits the question, and its passage."""
    logit: float
    """How well it fits, as the cross-encoder says it."""


def compose(scored: Sequence[Scored], found: Sequence[Unit], settings: Generate, *, sections: int = 2) -> list[Claim]:
    """Claims in reading order. `scored` is best first and not empty; `found` is every unit there is to quote.

    The cross-encoder is right about the section in less than half of the questions that use other words than the
    article, and nearly right in many more: a second section that fits almost as well is quoted under its heading.
    """
    first = _part(scored, found, settings)
    quoted = {passage for claim in first for passage in claim.passage_ids}
    best = scored[0]
    close = [item for item in scored if item.score >= best.score - ALSO and item.logit >= best.logit - ALSO_LOGITS]
    other = next((item.unit for item in close if item.unit.hit.passage.id not in quoted), None)
    if sections < 2 or other is None or sum(len(claim.text.split()) for claim in first) > ALSO_AFTER:
        return first
    there = [item for item in scored if item.unit.hit.passage.id == other.hit.passage.id]
    second = _part(there, found, settings)
    if other.kind not in ("steps", "bullets"):
        second = [claim for claim in second if not _said(claim, first)]
    elif any(_said(claim, first) for claim in second):
        return first
    if not second or len(first) + len(second) > settings.max_steps:
        return first
    return [*_titled(first, scored[0].unit), *_titled(second, other)]


def _said(claim: Claim, before: Sequence[Claim]) -> bool:
    return any(_alike(claim.text, other.text) for other in before)


def _titled(claims: Sequence[Claim], unit: Unit) -> list[Claim]:
    """A part under the heading of its section, where it does not begin with one, or with another section's words."""
    if not claims or claims[0].text.startswith("**") or claims[0].passage_ids != (unit.hit.passage.id,):
        return list(claims)
    title = _title(unit)
    return [replace(claims[0], text=f"{title}\n\n{claims[0].text}"), *claims[1:]] if title else list(claims)


def _part(scored: Sequence[Scored], found: Sequence[Unit], settings: Generate) -> list[Claim]:
    """What the best unit and its like say."""
    best = scored[0].unit
    if best.kind in ("steps", "bullets"):
        return _listed(best, scored, found, settings)
    if best.kind == "table":
        return [_quote(best.lines[0], (best.hit.passage.id,))]
    if best.kind == "row":
        return _rows(best, scored)
    return _sentences(scored, found, settings)


def _listed(best: Unit, scored: Sequence[Scored], found: Sequence[Unit], settings: Generate) -> list[Claim]:
    """A lead-in, the list as it stands, the parts that follow it, and a remark of its section that fits."""
    claims: list[Claim] = []
    above: tuple[str, ...] | None = None
    for part in (best, *_following(best, found)):
        if claims and len(claims) + len(part.lines) > settings.max_steps:
            break
        lead = part.lead or (_heading(part) if part.headings != above else "")
        above = part.headings
        first = f"{lead}\n\n{part.lines[0]}" if lead else part.lines[0]
        source = (part.hit.passage.id,)
        claims += [_quote(line, source) for line in (first, *part.lines[1:])]
        claims += [_quote(table.lines[0], (table.hit.passage.id,)) for table in _announced(part, found)]
    remarks = [
        item.unit
        for item in scored[1:]
        if item.score >= scored[0].score - BESIDE
        and item.unit.kind in ("note", "sentence")
        and item.unit.hit.passage.section == best.hit.passage.section
        and not ANAPHORA.match(plain(item.unit.lines[0]))
    ]
    return claims + [_quote(unit.lines[0], (unit.hit.passage.id,)) for unit in remarks[:1]]


def _announced(part: Unit, found: Sequence[Unit]) -> list[Unit]:
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


def _quote(text: str, source: tuple[str, ...]) -> Claim:
    """Word for word from its passage, and so supported by it."""
    return Claim(text, source, support="supported")


def _following(best: Unit, found: Sequence[Unit]) -> list[Unit]:
    """Later parts of one procedure: a list that counts on behind a table or note, and sections `Step 2`, `Step 3` …"""
    run: list[Unit] = []
    lists = [unit for unit in found if unit.kind == "steps" and unit.hit.passage.article_id == _article(best)]
    while part := _next(run[-1] if run else best, lists):
        run.append(part)
    return run


def _next(part: Unit, lists: Sequence[Unit]) -> Unit | None:
    """Only what comes later in the article, so that this ends whatever the numbers say."""
    later = sorted((unit for unit in lists if _place(unit) > _place(part)), key=_place)
    ends, section = _ordinal(part.lines[-1]), _number(part)
    for unit in later:
        if unit.headings == part.headings and ends is not None and _ordinal(unit.lines[0]) == ends + 1:
            return unit
        if section is not None and _number(unit) == section + 1:
            return unit
    return None


def _place(unit: Unit) -> tuple[int, int]:
    return unit.hit.passage.position, unit.order


def _article(unit: Unit) -> str:
    return unit.hit.passage.article_id


def _ordinal(line: str) -> int | None:
    match = ORDINAL.match(line)
    return int(match.group(1)) if match else None


def _number(unit: Unit) -> int | None:
    match = NUMBERED_SECTION.match(unit.headings[-1]) if unit.headings else None
    return int(match.group(1)) if match else None


def _heading(unit: Unit) -> str:
    """The section's heading as a lead-in; a question makes none."""
    title = _title(unit)
    return "" if title.endswith("?**") else title


def _title(unit: Unit) -> str:
    heading = unit.headings[-1] if unit.headings else unit.hit.passage.title
    text = NUMBERED_SECTION.sub("", heading).rstrip(":.")
    return f"**{text}{'' if text.endswith('?') else ':'}**" if text else ""


def _sentences(scored: Sequence[Scored], found: Sequence[Unit], settings: Generate) -> list[Claim]:
    """The best sentences in reading order, the best article's first, each with what it refers back to."""
    best = scored[0]
    home = best.unit.hit.passage.article_id
    chosen: list[Unit] = []
    for item in scored:
        allowed = BESIDE if item.unit.hit.passage.article_id == home else ELSEWHERE
        quotable = item.unit.kind in ("sentence", "note") and item.score >= best.score - allowed
        if quotable and len(chosen) < settings.max_sentences and not _repeats(item.unit, chosen):
            chosen.append(item.unit)
    by_place = {(unit.hit.passage.id, unit.order): unit for unit in found}
    for unit in list(chosen):
        before = by_place.get((unit.hit.passage.id, unit.order - 1))
        if ANAPHORA.match(plain(unit.lines[0])) and before is not None and before.kind in ("sentence", "note"):
            chosen += [] if _repeats(before, chosen) else [before]
    chosen.sort(key=lambda unit: (unit.hit.passage.article_id != home, unit.hit.passage.position, unit.order))
    return [_quote(f"{_answered(unit)}{unit.lines[0]}", (unit.hit.passage.id,)) for unit in chosen]


def _answered(unit: Unit) -> str:
    """The question that a yes or no answers, in front of it."""
    asked = question_above(unit)
    return f"**{asked}**\n\n" if asked else ""


def question_above(unit: Unit) -> str | None:
    """The heading that the unit says yes or no to; None where it does not."""
    heading = unit.headings[-1] if unit.headings else ""
    answers = unit.kind == "sentence" and heading.endswith(("?", "؟")) and YES_NO.match(plain(unit.lines[0]))
    return heading if answers else None


def _repeats(unit: Unit, chosen: Sequence[Unit]) -> bool:
    if any(other.lines == unit.lines for other in chosen):
        return True
    return any(_alike(unit.lines[0], other.lines[0]) for other in chosen)


def _alike(one: str, other: str) -> bool:
    here, there = set(tokenize(one)), set(tokenize(other))
    return bool(here) and len(here & there) / len(here | there) > SAME


def _rows(best: Unit, scored: Sequence[Scored], limit: int = 6) -> list[Claim]:
    """The rows of the best row's table that score near it, under its header, as one claim."""
    passage_id = best.hit.passage.id
    rows = [
        item.unit
        for item in scored
        if item.score >= scored[0].score - BESIDE
        and item.unit.kind == "row"
        and item.unit.header == best.header
        and item.unit.hit.passage.id == passage_id
    ]
    rows = sorted(rows[:limit], key=lambda unit: unit.order)
    return [_quote("\n".join((best.header, *(unit.lines[0] for unit in rows))), (passage_id,))]
