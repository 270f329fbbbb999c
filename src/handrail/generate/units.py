"""What an extractive answer may quote: whole sentences, procedures, bullets with their lead-in, table rows and code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from handrail.markdown import Block, parse, plain
from handrail.types import Hit

WORD = re.compile(r"[^\W_]")
SCORED_WORDS = 45
ENDED = re.compile(r"[.!?…。！？][)\"'”’]*$")
WHOLE_TABLE_ROWS = 10
LIST_ITEMS, LIST_WORDS = 10, 90
"""Items and words of a list up to which it is read as one; of a longer one each item by itself."""
LED = ("steps", "bullets", "code")
"""Kinds that may have a sentence that introduces them."""
WHOLE = {
    "ordered": "steps", "bullets": "bullets", "table": "table", "code": "code", "note": "note", "paragraph": "sentence",
}  # fmt: skip
"""Kind of unit by kind of block."""
FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n?\s*(?P=fence)\s*$", re.S)
LONGEST_CODE = 24
"""Lines of a block of code that is quoted; a longer one is for the article."""
POINTER = re.compile(
    r"\b(this article|these articles|in this section)\b|^(see|read)\b|\b(see|read) [^.]{3,60}\.?$", re.I
)
"""Sentences that send the reader elsewhere instead of saying something."""
ANAPHORA = re.compile(
    r"^(use it|use this|it|its|this|that|these|those|they|them|their|he|she|then|there|both|such|otherwise|instead|"
    r"also|only then|in that case|the same|after that|(?:please )?(?:do not|don't|never) do (?:it|so|this|that))\b",
    re.I,
)
"""How a sentence begins that goes on from the one before it."""
LABELLED = re.compile(
    r"^\*\*(?!(?:if|when|in case|wenn|falls|bei|si|se|cuando|en cas|em caso|in caso|als|bij|jeśli|gdy|если|при)\b)"
    r"[^*\n]{2,20}:\*\*\s",
    re.I,
)
"""`Important:` and the like; "If you smell gas:" says when to do what comes next, and is part of it."""
LONGEST_SENTENCE = 60
"""Words; more is a run of fragments."""
PASSAGES_KEPT = 512
"""Passages whose blocks are kept: many questions are about a few of them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One quotable piece of one passage."""

    hit: Hit
    rank: int
    """Place of its passage among the evidence, from 0."""
    order: int
    """Reading order inside the passage."""
    kind: str
    """`sentence`, `steps`, `bullets`, `row`, `table`, `note` or `code`."""
    lines: tuple[str, ...]
    """Markdown; a claim each."""
    headings: tuple[str, ...]
    header: str = ""
    """Header rows of a table."""
    lead: str = ""
    """The sentence that introduces a list or code."""
    goes_on: bool = False
    """Whether it goes on from what a labelled note says."""

    @property
    def words(self) -> int:
        """Without bars, dashes and bullets."""
        return sum(WORD.search(word) is not None for line in self.lines for word in line.split())

    @property
    def subject(self) -> str:
        """First cell of a table's row; nothing for other units."""
        return self.cells[0] if self.kind == "row" else ""

    @property
    def cells(self) -> list[str]:
        """Of a table's row, as plain text."""
        return _cells(self.lines[0])

    @property
    def points_elsewhere(self) -> bool:
        return self.kind in ("sentence", "note") and bool(POINTER.search(plain(self.lines[0])))

    @property
    def warns(self) -> bool:
        """A note under a label such as `Important:`: it goes with an answer, and is none."""
        return self.kind == "note" and (self.goes_on or bool(LABELLED.match(self.lines[0])))

    def for_scoring(self) -> str:
        """Plain text with its heading, as the cross-encoder reads it; the start of a long list says what it is."""
        context = self.headings[-1] if self.headings else self.hit.passage.title
        body = " ".join(plain(line) for line in (self.lead, *self.lines) if line)
        if self.kind == "code" and (fenced := FENCED.match(self.lines[0])):
            body = f"{plain(self.lead)} {fenced['code']}"
        if self.kind == "row":
            body = row_as_text(self.header, self.lines[0])
        if self.kind == "table":
            names = (_cells(line)[0] for line in self.lines[0].splitlines()[2:])
            body = "; ".join((", ".join(_cells(self.header)), *names))
        body = " ".join(body.split()[:SCORED_WORDS])
        return (
            f"{self.hit.passage.title}: {context}\n{body}"
            if context != self.hit.passage.title
            else f"{context}\n{body}"
        )


def units(hits: Sequence[Hit]) -> list[Unit]:
    """All units of all passages; a fragment of a sentence is never among them.

    The items of a long list, and the rows of a table, are units by themselves: each may be what was asked for.
    """
    return [unit for rank, hit in enumerate(hits) for unit in _of_passage(hit, rank)]


def all_units(hits: Sequence[Hit]) -> list[Unit]:
    """All that the passages say, each thing once: lists, tables and code whole, whatever their length."""
    return [unit for rank, hit in enumerate(hits) for unit in _all_of_passage(hit, rank)]


def row_as_text(header: str, row: str) -> str:
    """`Plan: Solo; Price: 14` from a table row."""
    names, values = _cells(header), _cells(row)
    return "; ".join(f"{name}: {value}" if name else value for name, value in zip(names, values, strict=False))


def _of_passage(hit: Hit, rank: int) -> Iterator[Unit]:
    blocks = _blocks(hit.passage.text)
    order = 0
    for index, block in enumerate(blocks):
        headings = (*hit.passage.headings, *block.headings)
        lead = _lead(blocks[index - 1]) if index else ""
        for kind, lines in _pieces(block):
            listed = kind in LED
            if kind == "code" and not (lead or headings):
                continue
            goes_on = block.kind == "note" and _goes_on(block, lines)
            yield Unit(hit, rank, order, kind, lines, headings, block.header, lead if listed else "", goes_on)
            order += 1


def _all_of_passage(hit: Hit, rank: int) -> Iterator[Unit]:
    blocks = _blocks(hit.passage.text)
    order = 0
    for index, block in enumerate(blocks):
        kind, leads = WHOLE[block.kind], False
        if index + 1 < len(blocks) and WHOLE[blocks[index + 1].kind] in LED:
            leads = bool(_lead(block))
        headings = (*hit.passage.headings, *block.headings)
        lead = _lead(blocks[index - 1]) if index and kind in LED else ""
        said = block.units[:-1] if leads else block.units
        lines = [(block.render(),)] if kind == "table" else [said] if kind in LED else [(unit,) for unit in said]
        for group in filter(None, lines):
            yield Unit(hit, rank, order, kind, tuple(group), headings, block.header, lead)
            order += 1


@lru_cache(maxsize=PASSAGES_KEPT)
def _blocks(text: str) -> Sequence[Block]:
    return tuple(parse(text))


def _pieces(block: Block) -> Iterator[tuple[str, tuple[str, ...]]]:
    if block.kind == "ordered":
        yield "steps", block.units
    elif block.kind == "bullets":
        if len(block.units) <= LIST_ITEMS and sum(len(unit.split()) for unit in block.units) <= LIST_WORDS:
            yield "bullets", block.units
        else:
            yield from (("bullets", (unit,)) for unit in block.units)
    elif block.kind == "table":
        if 1 < len(block.units) <= WHOLE_TABLE_ROWS:
            yield "table", (block.render(),)
        yield from (("row", (unit,)) for unit in block.units)
    elif block.kind == "code":
        if FENCED.match(block.units[0]) and len(block.units[0].splitlines()) <= LONGEST_CODE + 2:
            yield "code", block.units
    else:
        kind = "note" if block.kind == "note" else "sentence"
        yield from ((kind, (unit,)) for unit in block.units if _whole(unit))


def _whole(sentence: str) -> bool:
    """A heading that lost its markup, or a list announced but not there, is no sentence to quote."""
    text = plain(sentence)
    return bool(WORD.search(text) and ENDED.search(text)) and len(text.split()) <= LONGEST_SENTENCE


def _goes_on(note: Block, lines: Sequence[str]) -> bool:
    return bool(LABELLED.match(note.units[0]) and ANAPHORA.match(plain(lines[0])))


def _lead(block: Block) -> str:
    last = block.units[-1].rstrip()
    return last if block.kind == "paragraph" and last.endswith(":") else ""


def _cells(row: str) -> list[str]:
    return [plain(cell) for cell in row.splitlines()[0].strip().strip("|").split("|")]
