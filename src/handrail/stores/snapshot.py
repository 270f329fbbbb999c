"""A read-only copy of one generation of a knowledge base: passages, keyword index, article vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from handrail.stores.audience import Audience
from handrail.stores.filters import selected
from handrail.stores.keyword import KeywordIndex
from handrail.stores.tokens import STEMMERS, tokenize
from handrail.text.markdown import NUMBERED_SECTION
from handrail.types import PROSE, Kind, Passage, Vectors
from handrail.types.filters import Filters

NOISE_SAMPLE = 400


class Snapshot:
    """Everything retrieval reads besides Chroma that one audience may read; held in memory.

    Titles, words, neighbours, article vectors and all that is made of them are of these passages alone.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        keyword: KeywordIndex | None,
        article_vectors: Vectors,
        vectors: Vectors,
        lang: str = "en",
        article_keyword: KeywordIndex | None = None,
        audience: Audience = Audience.PUBLIC,
    ) -> None:
        """Raises ValueError where `audience` may not read one of `passages`."""
        self.audience = audience
        self.passages = list(passages)
        if hidden := next((one for one in self.passages if not audience.may_read(one.facets)), None):
            raise ValueError(f"{hidden.id} is not for {audience}")
        self.by_id = {passage.id: passage for passage in self.passages}
        self.article_vectors = article_vectors
        """`(articles, d)` float32, L2-normalised mean of each article's passages, in order of first passage."""
        self.vectors = vectors
        """`(passages, d)` float32, L2-normalised."""
        self.lang = lang
        """Language of the articles, a key of `STEMMERS`."""
        self._keyword = keyword
        self._article_keyword = article_keyword

    @property
    def stemming(self) -> str:
        return STEMMERS[self.lang]

    @cached_property
    def tags(self) -> frozenset[str]:
        """Languages that articles name."""
        return frozenset(filter(None, (passage.facets.get("lang") for passage in self.passages)))

    @cached_property
    def articles(self) -> list[str]:
        return list(dict.fromkeys(passage.article_id for passage in self.passages))

    @cached_property
    def article_row(self) -> dict[str, int]:
        """Row of each article in `article_vectors`."""
        return {article: row for row, article in enumerate(self.articles)}

    @cached_property
    def rows(self) -> dict[str, list[int]]:
        """Rows of each article's passages in `vectors`."""
        return _rows(self.passages)

    @cached_property
    def row(self) -> dict[str, int]:
        """Row of each passage in `vectors`, by id."""
        return {passage.id: row for row, passage in enumerate(self.passages)}

    @cached_property
    def titles(self) -> dict[str, str]:
        return {passage.article_id: passage.title for passage in self.passages}

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        return self._keyword.vocabulary if self._keyword is not None else {}

    def knows(self, word: str) -> bool:
        """Whether a passage has it, in whatever form."""
        return any(term in self.inverse_frequency for term in tokenize(word, self.stemming))

    @cached_property
    def inverse_frequency(self) -> dict[str, float]:
        """BM25's own idf per term."""
        return self._keyword.inverse_frequency if self._keyword is not None else {}

    @cached_property
    def noise_floor(self) -> float:
        """Cosine of unrelated texts under this embedder: the 5th percentile between passages of different articles.

        About 0.45 for bge-small and about 0 for MiniLM; what is below it says nothing.
        """
        return self.unrelated(self.vectors)

    def unrelated(self, vectors: Vectors) -> float:
        """The noise floor of other vectors of the same passages."""
        if not self.passages:
            return 0.0
        rng = np.random.default_rng(0)
        chosen = rng.permutation(len(self.passages))[:NOISE_SAMPLE]
        owner = np.asarray([self.article_row[self.passages[i].article_id] for i in chosen])
        cosines = vectors[chosen] @ vectors[chosen].T
        unrelated = cosines[owner[:, None] != owner[None, :]]
        return float(np.percentile(unrelated, 5)) if unrelated.size else 0.0

    def cosines(self, embedding: Vectors) -> Vectors:
        """`(passages,)` of one query against every passage; an index without passages has rows of no width."""
        return self.vectors @ embedding if len(self.passages) else np.zeros(0, dtype=np.float32)

    def nearest(
        self, cosines: Vectors, k: int, filters: Filters, audience: Audience = Audience.PUBLIC
    ) -> list[tuple[str, float]]:
        """`(passage id, cosine)` pairs of what `audience` may read, best first; `cosines` is `(passages,)`."""
        ranked = ((self.passages[row], float(cosines[row])) for row in np.argsort(-cosines, kind="stable"))
        chosen = (
            (passage.id, cosine)
            for passage, cosine in ranked
            if audience.may_read(passage.facets) and selected(passage, filters)
        )
        return list(islice(chosen, k))

    def keyword_scores(self, query: str) -> NDArray[np.float32]:
        """`(passages,)` BM25 scores."""
        return _scores(self._keyword, query, len(self.passages))

    def article_keyword_scores(self, query: str) -> NDArray[np.float32]:
        """`(articles,)` BM25 scores of whole articles."""
        return _scores(self._article_keyword, query, len(self.articles))

    def neighbours(self, passage: Passage, reach: int) -> list[Passage]:
        """Passages up to `reach` positions away in the same section, in reading order.

        Sections headed `Step 1`, `Step 2` … are one procedure: the later ones belong to the earlier, however many.
        """
        positions = [n for n in range(passage.position - reach, passage.position + reach + 1) if n != passage.position]
        found = (self.by_id.get(f"{passage.article_id}/{n}") for n in positions)
        beside = [other for other in found if other is not None and other.section == passage.section]
        beside = [other for other in beside if other.kind is passage.kind and other.kind in PROSE]
        return beside + [other for other in self._later_steps(passage) if other not in beside] if reach else beside

    def _later_steps(self, passage: Passage, limit: int = 6) -> list[Passage]:
        later = []
        if _is_step(passage):
            for n in range(passage.position + 1, passage.position + 1 + limit):
                other = self.by_id.get(f"{passage.article_id}/{n}")
                if other is None or not _is_step(other) or other.headings[:-1] != passage.headings[:-1]:
                    break
                later.append(other)
        return later


def build(
    passages: Sequence[Passage], vectors: Vectors, lang: str = "en", audience: Audience = Audience.PUBLIC
) -> Snapshot:
    """Index `passages` (ordered by article and position), all of which `audience` may read, for keyword search."""
    keyword = KeywordIndex.build((passage.embedding_text for passage in passages), lang)
    bodies = (body([passages[row] for row in rows]) for rows in _rows(passages).values())
    means = _article_vectors(passages, vectors)
    articles = KeywordIndex.build(bodies, lang)
    return Snapshot(passages, keyword, means, vectors.astype(np.float32, copy=False), lang, articles, audience)


def _is_step(passage: Passage) -> bool:
    return bool(passage.headings and NUMBERED_SECTION.match(passage.headings[-1]))


def body(passages: Sequence[Passage]) -> str:
    """One article as keyword search reads it: the title once, each section's own heading, all text."""
    sections = (" ".join((*one.headings[-1:], one.text)) for one in passages if one.kind is not Kind.ROW)
    return "\n".join((passages[0].title, *sections))


def _scores(index: KeywordIndex | None, query: str, size: int) -> NDArray[np.float32]:
    found = index.scores(query) if index is not None else None
    return found if found is not None else np.zeros(size, dtype=np.float32)


def _rows(passages: Sequence[Passage]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for index, passage in enumerate(passages):
        rows.setdefault(passage.article_id, []).append(index)
    return rows


def _article_vectors(passages: Sequence[Passage], vectors: Vectors) -> Vectors:
    means = [mean([passages[row] for row in rows], vectors[rows]) for rows in _rows(passages).values()]
    return np.stack(means) if means else np.zeros((0, vectors.shape[-1] if vectors.ndim == 2 else 0), dtype=np.float32)


def mean(passages: Sequence[Passage], vectors: Vectors) -> Vectors:
    """`(d,)` float32, L2-normalised: of one article's passages, without rows of tables where there is more."""
    rows = [row for row, passage in enumerate(passages) if passage.kind is not Kind.ROW] or range(len(passages))
    found: Vectors = vectors[list(rows)].mean(axis=0, dtype=np.float32)
    return found / max(float(np.linalg.norm(found)), 1e-12)
