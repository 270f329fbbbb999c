"""Articles into passages: whole units, merged when short, split when long, with a little overlap.

A table too long for one passage is also cut into a passage for each row. No passage is longer than `MOST_TOKENS` and
`CHARS_PER_TOKEN` times as many characters: a unit that is, such as the code of a whole program, is cut into parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from handrail.knowledge import Article
from handrail.knowledge.parts import Limit, fenced, parts
from handrail.knowledge.places import Ground, Piece, regions
from handrail.settings import Knowledge
from handrail.text.markdown import LONGEST_HEADING, Block, clipped, is_title, parse, slug
from handrail.types import Kind, Passage

Count = Callable[[str], int]
"""Number of tokens in a text, by the embedder's own tokenizer."""
MOST_TOKENS = 320
"""Of a unit that is kept whole though it is over `split_above_tokens`: with title and headings in front of it, encoders
read no more (`models.embed_max_tokens`)."""
CHARS_PER_TOKEN = 16
"""Characters that a token of a passage may stand for: a word of ten thousand characters is one to a tokenizer."""
MOST_CHARS = MOST_TOKENS * CHARS_PER_TOKEN
MOST_ROWS = 2000
"""Of a table that has a passage for each row: one of more would outweigh all else in the index."""
LEAST_TOKENS = 40
"""Of a part of a row, however long the header above it is."""
MARKS = 4
"""Tokens and characters left for the mark of a quotation and the lines between a header and its rows."""


TAG = re.compile(r"<[^<>\n]+>")
"""In a heading it is a word, such as the name of a component: no page may take it for a tag."""


class _Run:
    """Units that are to stand together, and the sums of their sizes."""

    def __init__(self, units: Sequence[str] = (), sizes: Sequence[int] = ()) -> None:
        self.units, self.sizes = list(units), list(sizes)
        self._tokens, self._chars = sum(sizes), sum(map(len, units))
        self._repeats = len(self.units)

    def takes(self, unit: str, size: int, limit: Limit) -> bool:
        return self._tokens + size <= limit.tokens and self._chars + len(self.units) + len(unit) <= limit.chars

    def add(self, unit: str, size: int) -> None:
        self.units.append(unit)
        self.sizes.append(size)
        self._tokens += size
        self._chars += len(unit)

    def new(self) -> Iterator[list[str]]:
        """Its units, unless all of them stand at the end of the run before."""
        if len(self.units) > self._repeats:
            yield self.units

    def end(self, count: int) -> _Run:
        """A run that begins with the last units of this one."""
        start = len(self.units) - count
        return _Run(self.units[start:], self.sizes[start:])


class Chunker:
    def __init__(self, settings: Knowledge, count: Count) -> None:
        self._settings = settings
        self._count = count

    @property
    def fingerprint(self) -> str:
        """Passages made under another fingerprint must be made again."""
        s = self._settings
        return f"13:{s.merge_below_tokens}:{s.split_above_tokens}:{s.overlap_tokens}:1"

    def encoder_text(self, passage: Passage) -> str:
        """What the embedder reads of a passage: its text, with title and headings in front."""
        return passage.embedding_text

    def passages(self, article: Article) -> list[Passage]:
        """Passages in reading order; positions count from 0. An article without text gives none."""
        blocks = parse(article.body)
        if blocks and len(article.title) > LONGEST_HEADING:
            blocks.insert(0, Block("paragraph", (), (" ".join(article.title.split()),)))
        ground = Ground(article)
        pieces: list[Piece] = []
        beside: list[Piece] = []
        for above, block in zip([None, *blocks], blocks, strict=False):
            found = ground.stand(block, self._split(block))
            rows = ground.stand(block, self._rows(block, above)) if len(found) > 1 else []
            # Figures and rows stand behind all else, so that they part nothing that belongs together.
            beside += [*rows, *(found if block.kind == "figure" else ())]
            pieces += found if block.kind != "figure" else ()
        return [
            Passage(
                id=f"{article.id}/{position}",
                article_id=article.id,
                position=position,
                title=clipped(article.title),
                headings=piece.headings,
                text=piece.text,
                url=_address(article.url, piece),
                tokens=self._count(piece.text),
                facets=article.facets,
                kind=piece.kind,
                places=piece.places,
            )
            for position, piece in enumerate([*self._merge(pieces), *beside])
        ]

    def _split(self, block: Block) -> Iterator[Piece]:
        whole = block.render()
        tokens = self._count(whole)
        kind = Kind.FIGURE if block.kind == "figure" else Kind.VARIANT if block.tab else Kind.TEXT
        if len(whole) <= self._limit.chars and tokens <= self._limit.tokens:
            yield Piece(block.headings, whole, tokens, block.anchor, kind, tab=block.tab)
            return
        wide = not Limit(MOST_TOKENS // 2, MOST_CHARS // 2, self._count).holds(block.header)
        for text in parts(whole, self._limit) if wide else map(block.render, self._runs(block)):
            yield Piece(block.headings, text, self._count(text), block.anchor, kind, tab=block.tab)

    def _rows(self, block: Block, above: Block | None) -> Iterator[Piece]:
        """A passage for each row of a table, with its header and the title above it, as far as they leave room."""
        if block.kind != "table" or len(block.units) > MOST_ROWS:
            return
        titled = above is not None and above.headings == block.headings and is_title(above)
        heads = [f"{above.units[0]}\n\n{block.header}" if above is not None and titled else "", block.header]
        room = Limit(MOST_TOKENS // 2, MOST_CHARS // 2, self._count)
        head = next((one for one in heads if one and room.holds(one)), "")
        for row in block.units if head else ():
            text = f"{head}\n{row}"
            tokens = self._count(text)
            if tokens <= MOST_TOKENS and len(text) <= MOST_CHARS:
                yield Piece(block.headings, text, tokens, block.anchor, Kind.ROW)

    @property
    def _limit(self) -> Limit:
        tokens = min(self._settings.split_above_tokens, MOST_TOKENS)
        return Limit(tokens, tokens * CHARS_PER_TOKEN, self._count)

    def _runs(self, block: Block) -> Iterator[list[str]]:
        """Runs of whole units under the limit; sentences overlap, steps and rows do not.

        A unit that is too long for any passage is a run for each of its parts.
        """
        header = self._count(block.header) if block.header else 0
        limit = replace(self._limit, tokens=self._limit.tokens - header)
        smaller = replace(limit, tokens=max(limit.tokens, LEAST_TOKENS) - MARKS, chars=limit.chars // 2)
        overlapping = block.kind in ("paragraph", "note", "figure")
        run = _Run()
        for unit in block.units:
            size = self._count(unit)
            if size + header + MARKS > MOST_TOKENS or len(unit) + len(block.header) + MARKS > MOST_CHARS:
                yield from run.new()
                yield from ([part] for part in parts(fenced(unit) if block.kind == "code" else unit, smaller))
                run = _Run()
                continue
            if run.units and not run.takes(unit, size, limit):
                yield from run.new()
                run = run.end(self._overlap(run.sizes) if overlapping else 0)
                if run.units and not run.takes(unit, size, limit):
                    run = _Run()
            run.add(unit, size)
        yield from run.new()

    def _overlap(self, sizes: Sequence[int]) -> int:
        """How many whole sentences at the end fit into the overlap; never all of them."""
        taken = total = 0
        for size in reversed(sizes[1:]):
            if total + size > self._settings.overlap_tokens:
                break
            total += size
            taken += 1
        return taken

    def _merge(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Join short pieces with the one before or after them, first within a section, then across sibling sections."""
        merged: list[Piece] = []
        for piece in pieces:
            if merged and self._join(merged[-1], piece):
                merged[-1] = self._joined(merged[-1], piece)
            else:
                merged.append(piece)
        return merged

    def _join(self, left: Piece, right: Piece) -> bool:
        short = self._settings.merge_below_tokens
        if left.tab != right.tab or not self._together(left, right):
            return False
        if left.headings == right.headings:
            return left.tokens < short or right.tokens < short
        return left.tokens < short and right.tokens < short and left.headings[:1] == right.headings[:1] != ()

    def _together(self, left: Piece, right: Piece) -> bool:
        """Whether both and the headings that may be set between them are short enough for one passage."""
        headings = sum(len(heading) + 6 for heading in (*left.headings, *right.headings))
        chars = len(left.text) + len(right.text) + headings
        return left.tokens + right.tokens <= self._limit.tokens and chars <= self._limit.chars

    def _joined(self, left: Piece, right: Piece) -> Piece:
        places = regions((*left.places, *right.places))
        if left.headings == right.headings:
            # Counted as a sum: counting a passage anew with each of its lines would take the square of their number.
            both = f"{left.text}\n\n{right.text}"
            return replace(left, text=both, tokens=left.tokens + right.tokens, places=places)
        headings = _common(left.headings, right.headings)
        text = f"{_under(left, headings)}\n\n{_under(right, headings)}"
        anchor = slug(headings[-1]) if headings else ""
        return Piece(headings, text, self._count(text), anchor, left.kind, places, left.tab)


def _address(url: str, piece: Piece) -> str:
    """The article's address with the anchor of the nearest heading; an article without one has no anchors either."""
    return f"{url}#{piece.anchor}" if url and piece.anchor else url


def _common(left: Sequence[str], right: Sequence[str]) -> tuple[str, ...]:
    same = 0
    while same < min(len(left), len(right)) and left[same] == right[same]:
        same += 1
    return tuple(left[:same])


def _under(piece: Piece, headings: tuple[str, ...]) -> str:
    """The piece's text below the headings it loses by moving up to `headings`."""
    lost = (TAG.sub(r"`\g<0>`", heading) for heading in piece.headings[len(headings) :])
    return "\n\n".join((*(f"### {heading}" for heading in lost), piece.text))
