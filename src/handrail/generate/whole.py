"""A procedure or list as its article has it: every item in order, with what its section says beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from handrail.generate.headings import heading_of, place_of, title_of
from handrail.generate.planted import planted
from handrail.generate.quoting import quote
from handrail.generate.units import Unit, all_units
from handrail.markdown import LEADING_MARKER, NUMBERED_SECTION
from handrail.types import Claim, Hit

LISTED = ("steps", "bullets")
SHARED = 12
"""Units before one among which the sentences are that two passages share."""
BRIEF_SECTION = 150
"""Words up to which the section of a list is quoted with all it says."""
BEFORE = 80
"""Words quoted of what stands before the list of a longer section."""
LONG_LIST = 250
"""Words of a list without an order above which only the items that fit are quoted, and how many there are is said."""


@dataclass(frozen=True, slots=True)
class Part:
    """How much of one list an answer holds."""

    shown: int
    of: int
    hit: Hit
    """Where the list begins."""


class Shelf:
    """All that stands in the articles of some hits, read when it is asked for."""

    def __init__(self, hits: Iterable[Hit]) -> None:
        self._hits: dict[str, dict[str, Hit]] = {}
        for hit in hits:
            self._hits.setdefault(hit.passage.article_id, {}).setdefault(hit.passage.id, hit)
        self._read: dict[str, list[Unit]] = {}

    def article(self, article_id: str) -> list[Unit]:
        """In reading order, without what was planted there and without a sentence that two passages share."""
        if article_id not in self._read:
            hits = sorted(self._hits.get(article_id, {}).values(), key=lambda hit: hit.passage.position)
            kept: list[Unit] = []
            for unit in filter(None, map(_clean, all_units(hits))):
                if not any(_shared(unit, other) for other in kept[-SHARED:]):
                    kept.append(unit)
            self._read[article_id] = kept
        return self._read[article_id]

    def parts(self, claims: Sequence[Claim]) -> list[Part]:
        """The lists of which `claims` quote some items and not all."""
        said: dict[str, str] = {}
        for claim in claims:
            for passage_id in claim.passage_ids:
                said[passage_id] = f"{said.get(passage_id, '')}\n{claim.text}\n"
        articles = {passage_id.rpartition("/")[0] for passage_id in said}
        found: list[Part] = []
        for run in (run for article_id in sorted(articles) for run in _lists(self.article(article_id))):
            lines = [(line, unit) for unit in run for line in unit.lines]
            shown = sum(f"\n{line}\n" in said.get(unit.hit.passage.id, "") for line, unit in lines)
            if 0 < shown < len(lines):
                found.append(Part(shown, len(lines), run[0].hit))
        return found


def section(best: Unit, shelf: Shelf, most: int, chosen: Sequence[Unit] = ()) -> list[Claim]:
    """The list that `best` is of, with the warnings, notes and prerequisites of its section; `most` items of it.

    Sections "Step 1", "Step 2" … are one procedure, to which belongs what stands before the first of them. Of a long
    list without an order `chosen` items are quoted.
    """
    article = shelf.article(best.hit.passage.article_id)
    runs = list(_lists(article))
    run = next((run for run in runs if any(_is_of(best, unit) for unit in run)), None)
    if run is None:
        return [quote(line, (best.hit.passage.id,)) for line in _led(best)]
    sections = _numbered(best, article)
    if sections:
        inside = [one for one in runs if one[0].kind == "steps" and one[0].headings in sections]
        units = [unit for headings in sections for unit in _kept(headings, article, inside)]
        units = [*_above(sections, article), *units]
    else:
        inside = [run]
        units = [*_notes_above(best.headings, article), *_kept(best.headings, article, inside)]
    if best.kind == "bullets" and sum(unit.words for unit in run) > LONG_LIST:
        lines = {line for unit in (best, *chosen) for line in unit.lines}
        units = [_only(unit, lines) if unit in run else unit for unit in units]
        units = [unit for unit in units if unit.lines]
    return _claims(_bounded(sorted(units, key=place_of), [unit for one in inside for unit in one], most))


def _shared(unit: Unit, other: Unit) -> bool:
    """Whether a sentence is the one that the passage before it ends with."""
    apart = unit.hit.passage.id != other.hit.passage.id
    return apart and unit.kind in ("sentence", "note") and (unit.lines, unit.headings) == (other.lines, other.headings)


def _clean(unit: Unit) -> Unit | None:
    """Without the lines that were planted; None where nothing is left."""
    lines = tuple(line for line in unit.lines if not planted(replace(unit, lines=(line,))))
    return replace(unit, lines=lines) if lines else None


def _is_of(best: Unit, unit: Unit) -> bool:
    return unit.kind == best.kind and unit.hit.passage.id == best.hit.passage.id and set(best.lines) <= set(unit.lines)


def _only(unit: Unit, lines: set[str]) -> Unit:
    return replace(unit, lines=tuple(line for line in unit.lines if line in lines))


def _lists(article: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Each list in one or more pieces: one that counts on behind a table or note, or goes on in the next passage."""
    run: list[Unit] = []
    for before, unit in pairwise((None, *article)):
        if unit is None or unit.kind not in LISTED:
            continue
        if run and not _goes_on(run[-1], unit, directly=before is run[-1]):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def _goes_on(last: Unit, unit: Unit, *, directly: bool) -> bool:
    if last.kind != unit.kind or last.headings != unit.headings:
        return False
    if unit.kind == "steps":
        ends, begins = _ordinal(last.lines[-1]), _ordinal(unit.lines[0])
        return ends is not None and begins == ends + 1
    return directly and last.hit.passage.id != unit.hit.passage.id and not unit.lead


def _ordinal(line: str) -> int | None:
    marker = LEADING_MARKER.match(line)
    number = marker[2].rstrip(".)") if marker else ""
    return int(number) if number.isdecimal() else None


def _numbered(best: Unit, article: Sequence[Unit]) -> list[tuple[str, ...]]:
    """Headings of the sections "Step 1", "Step 2" … that `best` stands among, in order; empty where it does not."""
    if NUMBERED_SECTION.match(heading_of(best)) is None:
        return []
    above = best.headings[:-1]
    beside = dict.fromkeys(unit.headings for unit in article if unit.headings and unit.headings[:-1] == above)
    run: list[tuple[str, ...]] = []
    last = 0
    for headings in beside:
        match = NUMBERED_SECTION.match(headings[-1])
        if match is None or int(match[1]) != last + 1:
            if best.headings in run:
                break
            run = []
        if match is not None:
            run.append(headings)
        last = int(match[1]) if match is not None else 0
    return run


def _above(sections: Sequence[tuple[str, ...]], article: Sequence[Unit]) -> Iterator[Unit]:
    """What stands before the first of numbered sections, under the same heading: what to have and to do before."""
    above = sections[0][:-1]
    begins = min(place_of(unit) for unit in article if unit.headings == sections[0])
    before = [unit for unit in article if unit.headings[: len(above)] == above and place_of(unit) < begins]
    if any(NUMBERED_SECTION.match(heading_of(unit)) for unit in before):
        return
    for headings in dict.fromkeys(unit.headings for unit in before):
        here = [unit for unit in before if unit.headings == headings]
        yield from _kept(headings, article, [[unit] for unit in here if unit.kind in LISTED])


def _kept(headings: tuple[str, ...], article: Sequence[Unit], runs: Sequence[Sequence[Unit]]) -> list[Unit]:
    """What is quoted of a section: all of a brief one; else its lists of `runs`, what leads to them, and its notes."""
    here = [unit for unit in article if unit.headings == headings]
    if sum(unit.words for unit in here) <= BRIEF_SECTION:
        return here
    mine = [place for place, unit in enumerate(here) if any(unit in run for run in runs)]
    if not mine:
        return [unit for unit in here if unit.kind == "note"]
    first, last = mine[0], mine[-1]
    if here[last].lines[-1].rstrip().endswith(":") and last + 1 < len(here):
        last += 1
    room = BEFORE
    begin = first
    while begin and (room := room - here[begin - 1].words) >= 0:
        begin -= 1
    return [unit for place, unit in enumerate(here) if begin <= place <= last or unit.kind == "note"]


def _notes_above(headings: tuple[str, ...], article: Sequence[Unit]) -> list[Unit]:
    """Notes under the headings that the section stands under, the article's own beginning left out."""
    return [
        unit
        for unit in article
        if unit.kind == "note"
        and unit.headings
        and unit.headings != headings
        and headings[: len(unit.headings)] == unit.headings
    ]


def _bounded(units: Sequence[Unit], listed: Sequence[Unit], most: int) -> list[Unit]:
    """Up to `most` items of the lists asked for; behind these only notes are left."""
    kept: list[Unit] = []
    left = most
    for unit in units:
        if unit in listed:
            shown, left = unit.lines[: max(left, 0)], left - len(unit.lines)
            kept += [replace(unit, lines=shown)] if shown else []
        elif left >= 0 or unit.kind == "note":
            kept.append(unit)
    return kept


def _claims(units: Sequence[Unit]) -> list[Claim]:
    """Under the heading of each section, but for one that is alone and begins with what introduces its list."""
    several = len({unit.headings for unit in units if unit.headings}) > 1
    claims: list[Claim] = []
    above: tuple[str, ...] | None = None
    said: set[str] = set()
    for unit in units:
        lines = _led(unit)
        if unit.kind in ("sentence", "note"):
            if lines[0] in said:
                continue
            said.add(lines[0])
        heading = title_of(unit) if unit.headings != above and unit.headings else ""
        if heading and (several or not unit.lead):
            lines = [f"{heading}\n\n{lines[0]}", *lines[1:]]
        above = unit.headings
        claims += [quote(line, (unit.hit.passage.id,)) for line in lines]
    return claims


def _led(unit: Unit) -> list[str]:
    first = f"{unit.lead}\n\n{unit.lines[0]}" if unit.lead else unit.lines[0]
    return [first, *unit.lines[1:]]
