"""Pieces of an article, and where they stand on the pages it was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from handrail.knowledge import Article
from handrail.text.markdown import NEWLINE, Block
from handrail.types import Kind, Place


@dataclass(frozen=True, slots=True)
class Piece:
    """Markdown that belongs together, under one heading path."""

    headings: tuple[str, ...]
    text: str
    tokens: int
    anchor: str = ""
    """Of the nearest heading, where the article names one."""
    kind: Kind = Kind.TEXT
    places: tuple[Place, ...] = ()
    tab: tuple[str, ...] = ()
    """Labels of the tabs that it stands in."""


class Ground:
    """Of one article."""

    def __init__(self, article: Article) -> None:
        self._places = article.places
        self._lines = NEWLINE.split(article.body) if article.places else []

    def stand(self, block: Block, pieces: Iterable[Piece]) -> list[Piece]:
        """`pieces` of `block`, each with the places of the lines that it says."""
        if not self._places:
            return list(pieces)
        numbers = range(*block.lines)
        said = [_letters(self._lines[number]) for number in numbers]
        ends = list(accumulate(map(len, said)))
        whole, header = "".join(said), _letters(block.header)
        at = len(header) if whole.startswith(header) else 0
        found: list[Piece] = []
        for piece in pieces:
            text = _letters(piece.text)
            if header and header in text:
                text = text[text.index(header) + len(header) :]
            start = whole.find(text, at)
            if start < 0:
                held: Sequence[int] = numbers
            else:
                at = start
                held = numbers[bisect_right(ends, start) : bisect_right(ends, start + len(text) - 1) + 1]
            found.append(replace(piece, places=self._of(held, piece.kind)))
        return found

    def _of(self, numbers: Sequence[int], kind: Kind) -> tuple[Place, ...]:
        """A row shows each of its cells; lines of other text are shown as one region of their page."""
        places = tuple(dict.fromkeys(place for number in numbers for place in self._places.get(number, ())))
        return places if kind is Kind.ROW else regions(places)


def regions(places: Sequence[Place]) -> tuple[Place, ...]:
    """One place a page, around all of those on it."""
    pages: dict[int, list[Place]] = {}
    for place in places:
        pages.setdefault(place.page, []).append(place)
    return tuple(_around(page, found) for page, found in pages.items())


def _around(page: int, places: Sequence[Place]) -> Place:
    boxes = [place.box for place in places if place.box is not None]
    if len(boxes) < len(places):
        return Place(page)
    left, top = (min(box[side] for box in boxes) for side in (0, 1))
    right, bottom = (max(box[side] for box in boxes) for side in (2, 3))
    return Place(page, (left, top, right, bottom))


def _letters(text: str) -> str:
    """What stays the same however lines are joined and marked."""
    return "".join(filter(str.isalnum, text))
