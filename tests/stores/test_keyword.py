"""The keyword index: scores to the bit as bm25s gives them, from little memory and from files that are mapped."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import bm25s
import numpy as np
import pytest

from handrail.stores import postings
from handrail.stores.keyword import KeywordIndex
from handrail.stores.tokens import tokenize


def texts(count: int) -> list[str]:
    """Of words as often as in a language, some of them empty."""
    random = np.random.default_rng(7)
    return [" ".join(f"w{n}" for n in random.zipf(1.3, size=random.integers(0, 40)) % 5000) for _ in range(count)]


def by_bm25s(corpus: list[str]) -> Callable[[str], np.ndarray]:
    index = bm25s.BM25(method="lucene")
    index.index([tokenize(text) for text in corpus], show_progress=False)
    return lambda query: index.get_scores([term for term in tokenize(query) if term in index.vocab_dict])


@pytest.mark.parametrize(("block", "merged"), [(1 << 20, 1 << 21), (50, 1 << 21), (50, 1), (1000, 300)])
def test_scores_are_those_of_bm25s_however_the_texts_are_cut_into_blocks(
    block: int, merged: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(postings, "BLOCK", block)
    monkeypatch.setattr(postings, "MERGED", merged)
    corpus = texts(400)
    expected = by_bm25s(corpus)

    assert KeywordIndex.write(iter(corpus), "en", tmp_path)

    index = KeywordIndex.load(tmp_path, "en")
    for query in ("w1", "w1 w2 w3", "w17 w4711 w999", " ".join(corpus[3:5])):
        np.testing.assert_array_equal(index.scores(query), expected(query))


def test_a_start_maps_the_postings_and_reads_none(tmp_path: Path) -> None:
    KeywordIndex.write(iter(texts(400)), "en", tmp_path)

    scores = KeywordIndex.load(tmp_path, "en")._index.scores

    assert all(isinstance(scores[name], np.memmap) for name in ("data", "indices", "indptr"))


def test_texts_without_a_word_have_no_index(tmp_path: Path) -> None:
    assert not KeywordIndex.write(["", "!?", "the of"], "en", tmp_path / "none")
    assert KeywordIndex.build([], "en") is None
    assert not (tmp_path / "none").exists()


def test_an_index_in_memory_scores_as_the_one_on_disk(tmp_path: Path) -> None:
    corpus = texts(50)
    KeywordIndex.write(corpus, "en", tmp_path)

    held, kept = KeywordIndex.build(corpus, "en"), KeywordIndex.load(tmp_path, "en")

    assert held is not None
    np.testing.assert_array_equal(held.scores("w1 w2"), kept.scores("w1 w2"))
    assert held.inverse_frequency == kept.inverse_frequency


def test_memory_does_not_grow_with_the_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(postings, "BLOCK", 20_000)
    monkeypatch.setattr(postings, "MERGED", 20_000)
    corpus = texts(1000)

    def peak(times: int) -> int:
        tracemalloc.start()
        try:
            KeywordIndex.write((text for _ in range(times) for text in corpus), "en", tmp_path / str(times))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # the stems of words are kept
    assert peak(16) < 2 * peak(2)
