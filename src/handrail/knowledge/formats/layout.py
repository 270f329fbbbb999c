"""Lines and tables as pages show them, made into headings, paragraphs, lists and tables of an article."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from handrail.knowledge.formats.body import BULLET, Body, Grid, item, prose
from handrail.types import Place

DIGITS = re.compile(r"\d+")
NUMBERED = re.compile(r"\s*\d{1,3}[.)]\s+\S")
CAPTION = re.compile(r"\S{1,20}\s+\d+(?:[.-]\d+)*\s*[:.–-]\s*\S")
"""As in `Table 3: Fees`, in whatever language."""
LARGER = 1.12
"""Times the size of most of the text from which a line is a heading."""
EDGE = 0.12
"""Share of a page at its top and bottom in which numbers of pages differ from page to page."""
FEWEST_PAGES = 3
HEADING_CHARS = 150
MARGIN = 0.06
"""Share of a page at its top and bottom in which no headings stand."""
LEADING = 1.3
"""Times the height of a line by which the next one follows at most."""
APART = 1.4
"""Times the usual distance of lines from which a paragraph begins."""
LEVELS = 4
SAME_LINE = 0.5
"""Share of a line's height by which words of it may stand higher or lower."""


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    size: float
    bold: bool
    place: Place

    @classmethod
    def of(cls, words: Sequence[Mapping[str, Any]], place: Place) -> Line:
        sizes = Counter[float]()
        for word in words:
            sizes[round(float(word["size"]) * 2) / 2] += len(word["text"])
        bold = all(map(is_bold, words))
        return cls(" ".join(word["text"] for word in words), sizes.most_common(1)[0][0], bold, place)

    @property
    def top(self) -> float:
        return self.place.box[1] if self.place.box else 0.0

    @property
    def in_margin(self) -> bool:
        return self.bottom < MARGIN or self.top > 1 - MARGIN

    @property
    def bottom(self) -> float:
        return self.place.box[3] if self.place.box else 0.0


@dataclass(frozen=True, slots=True)
class Table:
    rows: Grid
    places: Sequence[Sequence[Place]]


def is_bold(word: Mapping[str, Any]) -> bool:
    return "bold" in word["fontname"].lower() or "black" in word["fontname"].lower()


Page = Sequence[Line | Table]


def write(pages: Sequence[Page]) -> Body:
    """Without lines that more than half of the pages repeat; tables that go on overleaf are put together."""
    shown = list(_without_noise(pages))
    return _Writer([one for page in shown for one in page if isinstance(one, Line)]).body(_continued(shown))


def _without_noise(pages: Sequence[Page]) -> Iterator[Page]:
    """In few pages, only what stands in their margins is noise."""
    lines = [{(_mark(one), one.in_margin) for one in page if isinstance(one, Line)} for page in pages]
    seen = Counter(mark for page in lines for mark, in_margin in page if in_margin or len(pages) >= FEWEST_PAGES)
    noise = {mark for mark, count in seen.items() if count * 2 > len(pages)}
    for page in pages:
        yield [one for one in page if isinstance(one, Table) or _mark(one) not in noise]


def _mark(line: Line) -> str:
    """What makes lines of several pages the same: at the edge of a page, its number may differ."""
    text = " ".join(line.text.split())
    return DIGITS.sub("#", text) if line.bottom < EDGE or line.top > 1 - EDGE else text


def _continued(pages: Iterable[Page]) -> list[Line | Table]:
    found: list[Line | Table] = []
    for page in pages:
        first = True
        for one in page:
            last = found[-1] if found else None
            if first and isinstance(one, Table) and isinstance(last, Table) and len(last.rows[0]) == len(one.rows[0]):
                skip = 1 if list(one.rows[0]) == list(last.rows[0]) else 0
                found[-1] = Table([*last.rows, *one.rows[skip:]], [*last.places, *one.places[skip:]])
            else:
                found.append(one)
            first = False
    return found


class _Writer:
    def __init__(self, lines: Sequence[Line]) -> None:
        sizes = Counter[float]()
        for line in lines:
            sizes[line.size] += len(line.text)
        self._usual = sizes.most_common(1)[0][0] if sizes else 0.0
        gaps = [
            below.top - line.top
            for line, below in pairwise(lines)
            if line.place.page == below.place.page and line.size == below.size == self._usual and below.top > line.top
        ]
        self._gap = median(gaps) if gaps else 0.0
        larger = sorted({line.size for line in lines if self._is_larger(line)}, reverse=True)
        self._levels = {size: min(level, LEVELS) for level, size in enumerate(larger, 1)}
        self._body = Body()
        self._begun = False
        """Whether anything has been said besides what stands in the margins."""
        self._open: list[Line] = []

    def body(self, items: Sequence[Line | Table]) -> Body:
        at = 0
        while at < len(items):
            one = items[at]
            if isinstance(one, Table):
                title = self._caption()
                self._close()
                self._begun = True
                said, above = (title.text, [title.place]) if title else ("", [])
                self._body.table(one.rows, one.places, said, above)
                at += 1
            elif level := self._level(items, at):
                self._close()
                end = at + 1
                while end < len(items) and self._goes_on(one, items[end], items[end - 1]):
                    end += 1
                self._heading(level, [line for line in items[at:end] if isinstance(line, Line)])
                at = end
            else:
                if self._open and self._begins(self._open[-1], one):
                    self._close()
                self._open.append(one)
                at += 1
        self._close()
        return self._body

    def _is_larger(self, line: Line) -> bool:
        said = len(line.text) <= HEADING_CHARS and any(map(str.isalpha, line.text))
        return said and line.size >= self._usual * LARGER and not line.in_margin

    def _level(self, items: Sequence[Line | Table], at: int) -> int:
        """Of a heading; 0 for any other line."""
        line = items[at]
        if not isinstance(line, Line):
            return 0
        if self._is_larger(line):
            return self._levels[line.size]
        below = items[at + 1] if at + 1 < len(items) else None
        ends = line.text.rstrip().endswith((".", ",", ";", ":"))
        alone = isinstance(below, Line) and not below.bold and not CAPTION.match(line.text)
        short = len(line.text) <= HEADING_CHARS // 2 and not BULLET.match(line.text)
        starts = not self._open or self._begins(self._open[-1], line)
        return LEVELS + 1 if line.bold and alone and short and not ends and starts else 0

    def _goes_on(self, first: Line, line: Line | Table, above: Line | Table) -> bool:
        """Whether a heading takes another line."""
        return (
            isinstance(line, Line)
            and isinstance(above, Line)
            and self._is_larger(first)
            and (line.size, line.bold, line.place.page) == (first.size, first.bold, first.place.page)
            and 0 < line.top - above.top < 1.4 * (above.bottom - above.top)
        )

    def _heading(self, level: int, lines: Sequence[Line]) -> None:
        text = " ".join(line.text for line in lines)
        if level == 1 and not self._begun:
            self._body.title = text
            self._begun = True
        else:
            self._body.heading(max(level, 2), text, [line.place for line in lines])

    def _begins(self, last: Line, line: Line) -> bool:
        """Whether `line` begins a paragraph, and does not go on with the one of `last`."""
        if last.place.page != line.place.page or line.top < last.top:
            return last.text.rstrip().endswith((".", "!", "?", ":")) or _marker(line.text)
        usual = min(self._gap or 1.0, (last.bottom - last.top) * LEADING)
        far = line.top - last.top > usual * APART
        return far or (_marker(line.text) and not any(_marker(one.text) for one in self._open))

    def _caption(self) -> Line | None:
        """The line above a table that is its title; it is no paragraph then."""
        last = self._open[-1] if self._open else None
        if last and (CAPTION.match(last.text) or (last.bold and len(self._open) == 1)):
            return self._open.pop()
        return None

    def _close(self) -> None:
        lines, self._open = self._open, []
        if not lines:
            return
        self._begun = self._begun or not all(line.in_margin for line in lines)
        shown: list[str] = []
        stands: list[Sequence[Place]] = []
        listed = False
        for line in lines:
            marked = _marker(line.text)
            listed = listed or marked
            text = item(line.text) if marked else ("   " if listed else "") + prose(line.text)
            if shown and not marked and _hyphenated(shown[-1], line.text):
                word, _, text = prose(line.text).partition(" ")
                shown[-1] = shown[-1][:-1] + word
                if not text:
                    continue
                text = ("   " if listed else "") + text
            shown.append(text)
            stands.append([line.place])
        self._body.add(shown, stands)


def _marker(text: str) -> bool:
    return bool(BULLET.match(text) or NUMBERED.match(text) or text.startswith("- "))


def _hyphenated(above: str, below: str) -> bool:
    """Whether a word is divided between two lines."""
    return len(above) > 2 and above[-1] in "-\u00ad" and above[-2].islower() and below[:1].islower()
