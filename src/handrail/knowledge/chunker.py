"""Articles into passages: whole units, merged when short, split when long, with a little overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from handrail.knowledge import Article
from handrail.markdown import Block, parse, slug
from handrail.settings import Knowledge
from handrail.types import Passage

Count = Callable[[str], int]
"""Number of tokens in a text, by the embedder's own tokenizer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Markdown that belongs together, under one heading path."""

    headings: tuple[str, ...]
    text: str
    tokens: int


class Chunker:
    def __init__(self, settings: Knowledge, count: Count) -> None:
        self._settings = settings
        self._count = count

    @property
    def fingerprint(self) -> str:
        """Passages made under another fingerprint must be made again."""
        s = self._settings
        return f"3:{s.merge_below_tokens}:{s.split_above_tokens}:{s.overlap_tokens}:{int(s.title_prefix)}"

    def encoder_text(self, passage: Passage) -> str:
        """What the embedder reads of a passage."""
        return passage.embedding_text if self._settings.title_prefix else passage.text

    def passages(self, article: Article) -> list[Passage]:
        """Passages in reading order; positions count from 0. An article without text gives none."""
        pieces = [piece for block in parse(article.body) for piece in self._split(block)]
        return [
            Passage(
                id=f"{article.id}/{position}",
                article_id=article.id,
                position=position,
                title=article.title,
                headings=piece.headings,
                text=piece.text,
                url=_address(article.url, piece.headings),
                tokens=piece.tokens,
                facets=article.facets,
            )
            for position, piece in enumerate(self._merge(pieces))
        ]

    def _split(self, block: Block) -> Iterator[Piece]:
        whole = block.render()
        tokens = self._count(whole)
        if tokens <= self._settings.split_above_tokens or len(block.units) == 1:
            yield Piece(block.headings, whole, tokens)
            return
        for run in self._runs(block):
            text = block.render(run)
            yield Piece(block.headings, text, self._count(text))

    def _runs(self, block: Block) -> Iterator[list[str]]:
        """Runs of whole units under the limit; sentences overlap, steps and rows do not."""
        limit = self._settings.split_above_tokens - (self._count(block.header) if block.header else 0)
        overlapping = block.kind in ("paragraph", "note")
        run: list[str] = []
        sizes: list[int] = []
        for unit in block.units:
            size = self._count(unit)
            if run and sum(sizes) + size > limit:
                yield run
                keep = self._overlap(sizes) if overlapping else 0
                run, sizes = run[len(run) - keep :], sizes[len(sizes) - keep :]
                if run and sum(sizes) + size > limit:
                    run, sizes = [], []
            run.append(unit)
            sizes.append(size)
        if run:
            yield run

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
        if left.tokens + right.tokens > self._settings.split_above_tokens:
            return False
        if left.headings == right.headings:
            return left.tokens < short or right.tokens < short
        return left.tokens < short and right.tokens < short and left.headings[:1] == right.headings[:1] != ()

    def _joined(self, left: Piece, right: Piece) -> Piece:
        if left.headings == right.headings:
            headings, text = left.headings, f"{left.text}\n\n{right.text}"
        else:
            headings = _common(left.headings, right.headings)
            text = f"{_under(left, headings)}\n\n{_under(right, headings)}"
        return Piece(headings, text, self._count(text))


def _address(url: str, headings: Sequence[str]) -> str:
    """The article's address with the anchor of the nearest heading; an article without one has no anchors either."""
    anchor = slug(headings[-1]) if headings else ""
    return f"{url}#{anchor}" if url and anchor else url


def _common(left: Sequence[str], right: Sequence[str]) -> tuple[str, ...]:
    same = 0
    while same < min(len(left), len(right)) and left[same] == right[same]:
        same += 1
    return tuple(left[:same])


def _under(piece: Piece, headings: tuple[str, ...]) -> str:
    """The piece's text below the headings it loses by moving up to `headings`."""
    lost = piece.headings[len(headings) :]
    return "\n\n".join((*(f"### {heading}" for heading in lost), piece.text))
