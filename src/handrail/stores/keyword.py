"""BM25 over many texts, in files that are mapped into memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import bm25s
import numpy as np
from numpy.typing import NDArray

from handrail.stores.postings import Postings
from handrail.stores.tokens import STEMMERS, tokenize


class KeywordIndex:
    def __init__(self, index: bm25s.BM25, lang: str) -> None:
        """`lang` is a key of `STEMMERS`, the language of the texts."""
        self._index = index
        self._stemming = STEMMERS[lang]

    @classmethod
    def build(cls, texts: Iterable[str], lang: str) -> KeywordIndex | None:
        """In memory; None where no text has a word."""
        with TemporaryDirectory() as folder:
            return cls.load(Path(folder), lang, mapped=False) if cls.write(texts, lang, Path(folder)) else None

    @staticmethod
    def write(texts: Iterable[str], lang: str, folder: Path) -> bool:
        """The files, with little in memory; whether any text has a word. Texts are read one after the other."""
        with Postings() as postings:
            for text in texts:
                postings.add(tokenize(text, STEMMERS[lang]))
            return postings.write(folder)

    @classmethod
    def load(cls, folder: Path, lang: str, *, mapped: bool = True) -> KeywordIndex:
        """`mapped`: of the postings, only those that a query asks for are read from the files."""
        return cls(bm25s.BM25.load(str(folder), mmap=mapped, show_progress=False), lang)

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
