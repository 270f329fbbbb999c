"""Weighted fusion: what holds for every pair of lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.retrieve.fusion import COSINE_FLOOR, fuse

IDS = st.sampled_from("abcdefgh")
COSINES = st.dictionaries(IDS, st.floats(-1, 1), max_size=8)
BM25 = st.dictionaries(IDS, st.floats(0, 40), max_size=8)
WEIGHTS = st.floats(0, 1)


@given(COSINES, BM25, WEIGHTS)
def test_every_id_of_either_list_is_scored_between_zero_and_one(
    dense: dict[str, float], keyword: dict[str, float], weight: float
) -> None:
    fused = fuse(dense, keyword, weight)

    assert fused.keys() == dense.keys() | keyword.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in fused.values())


@given(COSINES, BM25, WEIGHTS)
def test_what_both_lists_rank_higher_is_never_ranked_lower(
    dense: dict[str, float], keyword: dict[str, float], weight: float
) -> None:
    fused = fuse(dense, keyword, weight)

    for one in fused:
        for other in fused:
            nearer = dense.get(one, 0.0) >= dense.get(other, 0.0)
            if nearer and keyword.get(one, 0.0) >= keyword.get(other, 0.0):
                assert fused[one] >= fused[other] - 1e-9


@given(COSINES, WEIGHTS)
def test_without_keyword_hits_dense_search_decides_alone(dense: dict[str, float], weight: float) -> None:
    assert fuse(dense, {}, weight) == fuse(dense, {}, 1.0)


@given(BM25.filter(lambda scores: max(scores.values(), default=0) > 0), WEIGHTS)
def test_without_dense_hits_the_keyword_order_stands(keyword: dict[str, float], weight: float) -> None:
    fused = fuse({}, keyword, weight)

    best = max(keyword, key=keyword.__getitem__)
    assert fused[best] == max(fused.values()) == pytest.approx(1 - weight)


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse({}, {}, 0.6) == {}


def test_the_best_of_both_lists_scores_one_and_noise_scores_nothing() -> None:
    fused = fuse({"a": 0.8, "b": COSINE_FLOOR}, {"a": 12.0}, 0.6)

    assert fused == {"a": pytest.approx(1.0), "b": 0.0}


def test_the_weight_decides_between_the_lists() -> None:
    dense, keyword = {"meaning": 0.9, "words": 0.5}, {"words": 10.0}

    assert max(fuse(dense, keyword, 0.9).items(), key=lambda item: item[1])[0] == "meaning"
    assert max(fuse(dense, keyword, 0.1).items(), key=lambda item: item[1])[0] == "words"
