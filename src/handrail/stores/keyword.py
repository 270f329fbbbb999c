"""BM25 over many texts, in files that are mapped into memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import bm25s
import numpy as np
from bm25s.tokenization import Tokenized
from numpy.typing import NDArray

from handrail.stores.tokens import STEMMERS, tokenize


class KeywordIndex:
    def __init__(self, index: bm25s.BM25, lang: str) -> None:
        """`lang` is a key of `STEMMERS`, the language of the texts."""
        self._index = index
        self._stemming = STEMMERS[lang]

    @classmethod
    def build(cls, texts: Iterable[str], lang: str) -> KeywordIndex | None:
        """None where no text has a word: BM25 divides by the mean length. Texts are read one after the other."""
        vocabulary: dict[str, int] = {}
        terms = [
            array("i", [vocabulary.setdefault(term, len(vocabulary)) for term in tokenize(text, STEMMERS[lang])])
            for text in texts
        ]
        if not vocabulary:
            return None
        index = bm25s.BM25(method="lucene")
        index.index(Tokenized(terms, vocabulary), show_progress=False)
        return cls(index, lang)

    @classmethod
    def load(cls, folder: Path, lang: str) -> KeywordIndex:
        return cls(bm25s.BM25.load(str(folder), mmap=True, show_progress=False), lang)

    def save(self, folder: Path) -> None:
        self._index.save(str(folder), show_progress=False)

    @property
    def vocabulary(self) -> Mapping[str, int]:
        found: Mapping[str, int] = self._index.vocab_dict
        return found

    @cached_property
    def inverse_frequency(self) -> dict[str, float]:
        """BM25's own idf per term."""
        total, counts = self._index.scores["num_docs"], np.diff(self._index.scores["indptr"])
        idf = np.log(1 + (total - counts + 0.5) / (counts + 0.5))
        return {term: float(idf[column]) for term, column in self.vocabulary.items() if column < len(idf)}

    def scores(self, query: str) -> NDArray[np.float32] | None:
        """Of every text, in their order; None where none has a word of it."""
        terms = [term for term in tokenize(query, self._stemming) if term in self.vocabulary]
        return np.asarray(self._index.get_scores(terms), dtype=np.float32) if terms else None
