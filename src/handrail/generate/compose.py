"""From scored units to the claims of a short, readable answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from handrail.generate.headings import (
    answer_before,
    article_of,
    headed,
    place_of,
    section_of,
    title_of,
)
from handrail.generate.quoting import BESIDE, Scored, code_among_words, code_claim, quote
from handrail.generate.units import ANAPHORA, Unit
from handrail.generate.whole import Shelf, section
from handrail.markdown import LEADING_MARKER, plain
from handrail.settings import Generate
from handrail.stores.tokens import tokenize
from handrail.types import Claim

HEADED = re.compile(r"^\*\*[^\n]+(?<![?؟])\*\*\n\n")
"""A heading in front of a quotation; a question belongs to what answers it."""
ELSEWHERE = 0.3
"""Points that a sentence of another article may lie below the best one."""
KNOWN = 0.0
"""How well the best unit fits, from which the answer is known: what is quoted from there on is right in four of five
cases, below in three of five (experiment 144)."""
ALSO, ALSO_FINAL = 2.0, 0.45
"""Points that the best unit of a further section may lie below the best of all, and the final score that its passage
has at least: of the sections that were quoted without them, one in ten was to the point (experiment 192)."""
ALSO_LOGITS = 3.0
"""Logits that it may lie below, where the best one is known."""
UNKNOWN_LOGITS, PER_LOGIT = 4.0, 0.6
"""The same where it is not, and how many logits more for each that it lies below `KNOWN`."""
ALSO_AFTER, AT_MOST, CLAIMS = 90, 110, 10
"""Words of an answer behind which no further section is quoted, and words and claims it may have with one."""
SECTIONS, SECTIONS_KNOWN = 3, 2
FEW_SENTENCES = 2
"""Of a further section that would make the answer too long otherwise."""
STEPS_NEAR = 1.0
"""Points that a procedure may lie below the best sentence of its section: it is then quoted whole instead."""
LISTED_NEAR = 1.0
"""Points that a list or a table's row may lie below the best sentence of its section, and be quoted with it."""
WHOLE_STEPS, WHOLE_TABLE = 100, 45
"""Words up to which a procedure is quoted for a sentence of its section, and a whole table for one of its rows."""
WHOLE_NOTE = 80
"""Words of a note up to which it is quoted whole where one of its sentences leads."""
SHORT = 20
"""Words of sentences of a section up to which the one after the best is quoted, too."""
SAME = 0.7
"""Jaccard overlap of words from which two sentences say the same."""


def compose(
    scored: Sequence[Scored],
    found: Sequence[Unit],
    settings: Generate,
    *,
    sections: int = SECTIONS,
    at_most: int = AT_MOST,
    shelf: Shelf | None = None,
) -> list[Claim]:
    """Claims in reading order. `scored` is best first and not empty; `found` is every unit there is to quote, and
    `shelf` holds the articles that lists are quoted whole from; without one, what was found of them.

    A section whose best unit the cross-encoder does not know is right in less than half of the questions: those that
    fit almost as well are quoted under their headings, as long as the answer stays short.
    """
    shelf = shelf or Shelf(unit.hit for unit in found)
    shorter = _shorter(settings)
    parts = [(scored[0].unit, _part(scored, found, settings, shelf))]
    looked_at = set(_sources(parts[0][1]))
    most = min(sections, SECTIONS_KNOWN) if _known(scored[0]) else sections
    for other in _close(scored):
        before = [claim for _, part in parts for claim in part]
        if len(parts) == most or _words(before) > ALSO_AFTER:
            break
        if other.hit.passage.id in looked_at or _same_procedure(other, [unit for unit, _ in parts]):
            continue
        there = [item for item in scored if item.unit.hit.passage.id == other.hit.passage.id]
        looked_at.add(other.hit.passage.id)
        for size in (settings, shorter):
            further = _new(_part(there, found, size, shelf), before, whole=other.kind in ("steps", "bullets", "code"))
            fits = _words(before) + _words(further) <= at_most and len(before) + len(further) <= CLAIMS
            if further and fits:
                parts.append((other, further))
                looked_at |= _sources(further)
                break
    articles = {claim.passage_ids[0]: claim.passage_ids[0].rpartition("/")[0] for _, part in parts for claim in part}
    if len(parts) == 1:
        return _headed_once(parts[0][1], articles)
    titles = [(article_of(unit), title_of(unit)) for unit, _ in parts]
    claims = [
        claim
        for place, (unit, part) in enumerate(parts)
        for claim in (part if titles[place] in titles[:place] else _titled(part, unit))
    ]
    return _headed_once(claims, articles)


def begun_with(opening: Sequence[Unit], claims: Sequence[Claim], best: Unit) -> list[Claim]:
    """`claims` behind the sentences of an article's opening that they do not say; `best` leads them."""
    said = [any(_alike(unit.lines[0], claim.text) for claim in claims) for unit in opening]
    new = [unit for place, unit in enumerate(opening) if not any(said[: place + 1])]
    rest = _titled(claims, best) if best.headings else list(claims)
    return [*(quote(unit.lines[0], (unit.hit.passage.id,)) for unit in new), *rest] if new else list(claims)


def _close(scored: Sequence[Scored]) -> list[Unit]:
    """Units that fit almost as well as the best: where that one is not known, logits say little about any of them."""
    best = scored[0]
    logits = ALSO_LOGITS if _known(best) else UNKNOWN_LOGITS + PER_LOGIT * (KNOWN - best.logit)
    near = [item for item in scored if item.score >= best.score - ALSO and item.logit >= best.logit - logits]
    return [item.unit for item in near if item.unit.hit.final >= ALSO_FINAL and not item.unit.points_elsewhere]


def _same_procedure(steps: Unit, quoted: Sequence[Unit]) -> bool:
    """Whether two articles tell how to do the same, each in its own words: once is enough."""
    return steps.kind == "steps" and any(
        unit.kind == "steps"
        and article_of(unit) != article_of(steps)
        and title_of(unit).casefold() == title_of(steps).casefold()
        for unit in quoted
    )


def _known(best: Scored) -> bool:
    return best.logit >= KNOWN


def _new(part: list[Claim], before: Sequence[Claim], *, whole: bool) -> list[Claim]:
    """What `part` says that was not said before; nothing of a list that was said in part."""
    new = [claim for claim in part if not _said(claim, before)]
    lost = [claim for claim in part if claim not in new and _listed_item(claim)]
    return [] if whole and lost else new


def _listed_item(claim: Claim) -> bool:
    last = claim.text.rpartition("\n\n")[2]
    return LEADING_MARKER.match(last) is not None or "```" in claim.text


def _words(claims: Sequence[Claim]) -> int:
    return sum(len(claim.text.split()) for claim in claims)


def _sources(claims: Sequence[Claim]) -> set[str]:
    return {passage for claim in claims for passage in claim.passage_ids}


def _said(claim: Claim, before: Sequence[Claim]) -> bool:
    return any(_alike(claim.text, other.text) for other in before)


def _titled(claims: Sequence[Claim], unit: Unit) -> list[Claim]:
    """A part under the heading of its section, where it does not begin with one, or with another section's words."""
    if not claims or claims[0].text.startswith("**") or claims[0].passage_ids != (unit.hit.passage.id,):
        return list(claims)
    title = title_of(unit)
    return [replace(claims[0], text=f"{title}\n\n{claims[0].text}"), *claims[1:]] if title else list(claims)


def _headed_once(claims: Sequence[Claim], articles: Mapping[str, str]) -> list[Claim]:
    """Without a heading that stands above the claims before already: two passages may share a section."""
    shown: tuple[str, str] | None = None
    headed: list[Claim] = []
    for claim in claims:
        heading = HEADED.match(claim.text)
        here = (articles[claim.passage_ids[0]], heading[0]) if heading else shown
        again = heading is not None and here == shown
        headed.append(replace(claim, text=claim.text[heading.end() :]) if heading and again else claim)
        shown = here
    return headed


def _shorter(settings: Generate) -> Generate:
    return settings.model_copy(update={"max_sentences": min(settings.max_sentences, FEW_SENTENCES)})


def _part(scored: Sequence[Scored], found: Sequence[Unit], settings: Generate, shelf: Shelf) -> list[Claim]:
    """What the best unit and its like say."""
    best = scored[0].unit
    if best.kind == "code":
        return code_among_words(best, scored, found)
    if best.kind in ("steps", "bullets"):
        return _listed(best, scored, settings, shelf)
    if best.kind == "row":
        table = _table_of(best, found)
        return _whole(table) if table is not None and table.words <= WHOLE_TABLE else _rows(best, scored)
    if best.kind == "table":
        return _whole(best)
    procedure = None if _known(scored[0]) else _procedure(scored)
    if procedure is not None:
        return _listed(procedure, scored, settings, shelf)
    listed = _listed_near(scored)
    if listed is None:
        return _sentences(scored, found, settings)
    return _with_sentences(listed, scored, found, settings, shelf)


def _whole(table: Unit) -> list[Claim]:
    return [quote(table.lines[0], (table.hit.passage.id,))]


def _table_of(row: Unit, found: Sequence[Unit]) -> Unit | None:
    tables = (unit for unit in found if unit.kind == "table" and unit.hit.passage.id == row.hit.passage.id)
    return next((unit for unit in tables if row.lines[0] in unit.lines[0].splitlines()), None)


def _procedure(scored: Sequence[Scored]) -> Unit | None:
    """The steps of the best sentence's section, where they fit about as well: they say what to do."""
    best = scored[0]
    near = [
        item.unit
        for item in scored[1:]
        if item.unit.kind == "steps"
        and item.score >= best.score - STEPS_NEAR
        and section_of(item.unit) == section_of(best.unit)
        and item.unit.words <= WHOLE_STEPS
    ]
    return near[0] if near else None


def _listed_near(scored: Sequence[Scored]) -> Scored | None:
    """The list or table's row of the best sentence's section that fits about as well, and is short."""
    best = scored[0]
    near = (
        item
        for item in scored[1:]
        if item.unit.kind in ("bullets", "row", "table")
        and item.score >= best.score - LISTED_NEAR
        and section_of(item.unit) == section_of(best.unit)
        and item.unit.words <= WHOLE_STEPS
    )
    return next(near, None)


def _with_sentences(
    listed: Scored, scored: Sequence[Scored], found: Sequence[Unit], settings: Generate, shelf: Shelf
) -> list[Claim]:
    """A list or a table's rows and the sentences of its section, in reading order."""
    here = [item for item in scored if section_of(item.unit) == section_of(listed.unit)]
    rest = [listed, *(item for item in here if item is not listed)]
    shown = _part(rest, found, settings, shelf)
    said = _sentences(here, found, settings)
    if len(said) + len(shown) > CLAIMS:
        said = _sentences(here, found, _shorter(settings))
    if listed.unit.kind == "bullets":
        whole = "\n".join(claim.text for claim in shown)
        said = [claim for claim in said if claim.text.rpartition("\n\n")[2] not in whole]
    if not said:
        return shown
    first = place_of(listed.unit) < place_of(scored[0].unit) and not said[0].text.startswith("**")
    return [*shown, *said] if first else [*said, *shown]


def _listed(best: Unit, scored: Sequence[Scored], settings: Generate, shelf: Shelf) -> list[Claim]:
    """The list whole with what belongs to it, or as many of its items as the operator allows."""
    near = [item.unit for item in scored if item.score >= scored[0].score - BESIDE and item.unit.kind == best.kind]
    return section(best, shelf, settings.max_steps, near)


def _sentences(scored: Sequence[Scored], found: Sequence[Unit], settings: Generate) -> list[Claim]:
    """The best sentences in reading order, the best article's first, each with what it refers back to."""
    best = scored[0]
    home = best.unit.hit.passage.article_id
    chosen: list[Unit] = []
    led: dict[tuple[str, tuple[str, ...]], bool] = {}
    for item in scored:
        led.setdefault(section_of(item.unit), item.unit.kind == "steps")
    for item in scored:
        allowed = BESIDE if item.unit.hit.passage.article_id == home else ELSEWHERE
        quotable = item.unit.kind in ("sentence", "note") and item.score >= best.score - allowed
        if (
            quotable
            and not led[section_of(item.unit)]
            and len(chosen) < settings.max_sentences
            and not _repeats(item.unit, chosen)
        ):
            chosen.append(item.unit)
    by_place = {(unit.hit.passage.id, unit.order): unit for unit in found}
    for unit in list(chosen):
        before = by_place.get((unit.hit.passage.id, unit.order - 1))
        said = before is not None and before.kind in ("sentence", "note") and before.headings == unit.headings
        if said and before is not None and ANAPHORA.match(plain(unit.lines[0])):
            chosen += [] if _repeats(before, chosen) else [before]
    if best.unit.kind == "note" and not best.unit.warns:
        chosen += [unit for unit in _note_of(best.unit, by_place) if not _repeats(unit, chosen)]
    for unit in list(chosen):
        first = answer_before(unit, found)
        chosen += [] if first is None or first in chosen else [first]
    after = by_place.get((best.unit.hit.passage.id, best.unit.order + 1))
    here = [unit for unit in chosen if section_of(unit) == section_of(best.unit)]
    short = sum(unit.words for unit in here) < SHORT and len(chosen) < settings.max_sentences
    goes_on = after is not None and after.kind in ("sentence", "note") and not after.points_elsewhere
    if short and after is not None and goes_on and after.headings == best.unit.headings:
        chosen += [] if _repeats(after, chosen) else [after]
    here = [unit for unit in chosen if section_of(unit) == section_of(best.unit)]
    behind = (by_place.get((unit.hit.passage.id, unit.order + 1)) for unit in here)
    chosen += [unit for unit in behind if unit and unit.kind == "code" and unit.lead][:1]
    chosen.sort(key=lambda unit: (unit.hit.passage.article_id != home, unit.hit.passage.position, unit.order))
    return [
        code_claim(unit) if unit.kind == "code" else quote(f"{above}{unit.lines[0]}", (unit.hit.passage.id,))
        for unit, above in zip(chosen, headed(chosen, found), strict=True)
    ]


def _note_of(unit: Unit, by_place: Mapping[tuple[str, int], Unit]) -> list[Unit]:
    """The sentences beside one of a note, none where they are many: what is to be done at once is said in full."""
    passage = unit.hit.passage.id
    run = [unit]
    for way in (-1, 1):
        order = unit.order + way
        while (beside := by_place.get((passage, order))) is not None and beside.kind == "note":
            run.append(beside)
            order += way
    return run[1:] if sum(one.words for one in run) <= WHOLE_NOTE else []


def _repeats(unit: Unit, chosen: Sequence[Unit]) -> bool:
    if any(other.lines == unit.lines for other in chosen):
        return True
    return any(_alike(unit.lines[0], other.lines[0]) for other in chosen)


def _alike(one: str, other: str) -> bool:
    here, there = (set(tokenize(HEADED.sub("", text))) for text in (one, other))
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
    return [quote("\n".join((best.header, *(unit.lines[0] for unit in rows))), (passage_id,))]
