"""Weighted fusion: what holds for every pair of lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.retrieve.fusion import fuse, lean, rescale

FLOOR = 0.45
IDS = st.sampled_from("abcdefgh")
COSINES = st.dictionaries(IDS, st.floats(-1, 1), max_size=8)
BM25 = st.dictionaries(IDS, st.floats(0, 40), max_size=8)
WEIGHTS = st.floats(0, 1)


@given(COSINES, BM25, WEIGHTS)
def test_every_id_of_either_list_is_scored_between_zero_and_one(
    dense: dict[str, float], keyword: dict[str, float], weight: float
) -> None:
    fused = fuse(dense, keyword, weight, FLOOR)

    assert fused.keys() == dense.keys() | keyword.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in fused.values())


@pytest.mark.slow
@given(COSINES, BM25, WEIGHTS)
def test_what_both_lists_rank_higher_is_never_ranked_lower(
    dense: dict[str, float], keyword: dict[str, float], weight: float
) -> None:
    fused = fuse(dense, keyword, weight, FLOOR)

    for one in fused:
        for other in fused:
            nearer = dense.get(one, 0.0) >= dense.get(other, 0.0)
            if nearer and keyword.get(one, 0.0) >= keyword.get(other, 0.0):
                assert fused[one] >= fused[other] - 1e-9


@given(COSINES, WEIGHTS)
def test_without_keyword_hits_dense_search_decides_alone(dense: dict[str, float], weight: float) -> None:
    assert fuse(dense, {}, weight, FLOOR) == fuse(dense, {}, 1.0, FLOOR)


@given(BM25.filter(lambda scores: max(scores.values(), default=0) > 0), WEIGHTS)
def test_without_dense_hits_the_keyword_order_stands(keyword: dict[str, float], weight: float) -> None:
    fused = fuse({}, keyword, weight, FLOOR)

    best = max(keyword, key=keyword.__getitem__)
    assert fused[best] == max(fused.values()) == pytest.approx(1 - weight)


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse({}, {}, 0.6, FLOOR) == {}


def test_the_best_of_both_lists_scores_one_and_noise_scores_nothing() -> None:
    fused = fuse({"a": 0.8, "b": FLOOR}, {"a": 12.0}, 0.6, FLOOR)

    assert fused == {"a": pytest.approx(1.0), "b": 0.0}


def test_the_weight_decides_between_the_lists() -> None:
    dense, keyword = {"meaning": 0.9, "words": 0.5}, {"words": 10.0}

    assert max(fuse(dense, keyword, 0.9, FLOOR).items(), key=lambda item: item[1])[0] == "meaning"
    assert max(fuse(dense, keyword, 0.1, FLOOR).items(), key=lambda item: item[1])[0] == "words"


@given(st.dictionaries(IDS, st.floats(0, 1), min_size=1, max_size=8), WEIGHTS, st.data())
def test_leaning_on_articles_keeps_scores_between_zero_and_one(
    fused: dict[str, float], weight: float, data: st.DataObject
) -> None:
    fit = {id_: data.draw(st.floats(0, 1)) for id_ in fused}

    leaned = lean(fused, fit, weight)

    assert leaned.keys() == fused.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in leaned.values())


def test_of_two_equal_passages_the_one_of_the_better_article_wins() -> None:
    leaned = lean({"a": 0.5, "b": 0.5}, {"a": 0.6, "b": 0.8}, 0.35)

    assert leaned["b"] > leaned["a"]


def test_without_a_weight_the_fused_scores_stay_as_they_are() -> None:
    assert lean({"a": 0.4, "b": 0.9}, {"a": 0.9, "b": 0.1}, 0.0) == {"a": 0.4, "b": 0.9}


@given(COSINES)
def test_rescaled_scores_keep_their_order_and_the_best_is_one_where_any_is_above_the_floor(
    scores: dict[str, float],
) -> None:
    rescaled = rescale(scores, FLOOR)

    assert all(0 <= value <= 1 for value in rescaled.values())
    assert all(rescaled[a] <= rescaled[b] for a in scores for b in scores if scores[a] <= scores[b])
    if max(scores.values(), default=0) > FLOOR + 1e-3:
        assert max(rescaled.values()) == pytest.approx(1.0)
