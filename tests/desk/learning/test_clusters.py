"""Grouping of questions."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.desk.learning.clusters import Leaders, cluster, merge
from handrail.types import Vectors


def unit(rows: object) -> Vectors:
    vectors = np.asarray(rows, dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def around(centres: int, each: int, noise: float, seed: int = 0) -> tuple[Vectors, list[int]]:
    rng = np.random.default_rng(seed)
    middle = unit(rng.normal(size=(centres, 64)))
    owners = [n % centres for n in range(centres * each)]
    return unit(middle[owners] + rng.normal(scale=noise, size=(len(owners), 64))), owners


def test_questions_about_the_same_are_one_group_in_order_of_first_member() -> None:
    vectors, owners = around(6, 5, 0.05)

    assert list(cluster(vectors, 0.76, 0.63)) == owners


def test_other_words_for_the_same_are_joined_by_the_mean_over_pairs() -> None:
    vectors, owners = around(5, 8, 0.09)

    assert len(set(cluster(vectors, 0.95, 1.1))) > 5
    assert list(cluster(vectors, 0.95, 0.5)) == owners


@pytest.mark.slow
@given(st.integers(0, 1000), st.integers(1, 179))
@settings(max_examples=30, deadline=None)
def test_later_questions_move_none_of_the_earlier(seed: int, cut: int) -> None:
    vectors, _ = around(9, 20, 0.1, seed)
    at_once, bit_by_bit = Leaders(0.7, 64), Leaders(0.7, 64)

    groups = at_once.add(vectors)

    assert bit_by_bit.add(vectors[:cut]) + bit_by_bit.add(vectors[cut:]) == groups


def test_joining_agrees_with_the_plain_definition() -> None:
    vectors, _ = around(4, 6, 0.12, seed=3)

    found = merge(np.array(vectors), [1] * len(vectors), 0.5)

    groups = [[n] for n in range(len(vectors))]
    while True:
        pairs = [
            (float(np.mean(vectors[a] @ vectors[b].T)), i, j)
            for i, a in enumerate(groups)
            for j, b in enumerate(groups)
            if i < j
        ]
        best = max(pairs, default=(-1.0, 0, 0))
        if best[0] < 0.5:
            break
        groups[best[1]] += groups.pop(best[2])
    joined = [sorted(n for n in range(len(found)) if found[n] == root) for root in set(found)]
    assert sorted(joined) == sorted(sorted(group) for group in groups)


def test_nothing_and_one() -> None:
    assert list(cluster(np.zeros((0, 8), dtype=np.float32), 0.7, 0.6)) == []
    assert list(cluster(unit([[1, 0]]), 0.7, 0.6)) == [0]


@pytest.mark.slow
def test_five_thousand_questions_take_no_time() -> None:
    vectors, _ = around(200, 25, 0.07)
    start = time.process_time()

    groups = cluster(vectors, 0.76, 0.63)

    assert len(set(groups)) == 200
    assert time.process_time() - start < 5.0
