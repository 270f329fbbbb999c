"""What the local head reads of a message."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.understand.classify.features import (
    BUCKETS,
    DENSE,
    LONGEST,
    TOPIC,
    dense_row,
    fold,
    ngrams,
    shorten,
    standardised,
)


def as_dict(text: str) -> dict[int, float]:
    found = ngrams(fold(text))
    return {int(bucket): round(float(value), 6) for bucket, value in zip(found.buckets, found.values, strict=True)}


@given(st.text(max_size=200))
def test_any_text_has_distinct_buckets_and_a_length_of_one(text: str) -> None:
    found = ngrams(fold(text))
    buckets, weights = found.buckets, found.values

    assert len(set(buckets.tolist())) == len(buckets) == len(weights)
    assert all(0 <= bucket < BUCKETS for bucket in buckets)
    assert len(weights) == 0 or float(np.linalg.norm(weights)) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("text", ["", "   ", "…", "😀😀"])
def test_a_text_without_words_has_no_features(text: str) -> None:
    assert as_dict(text) == {}


def test_neither_shouting_nor_numbers_carry_a_label() -> None:
    assert as_dict("REFUND ORDER 4711") == as_dict("refund order 9032")


def test_words_and_their_order_matter() -> None:
    assert as_dict("cancel my plan") != as_dict("plan my cancel")
    assert as_dict("cancel") != as_dict("cancel!")


def test_a_misspelt_word_shares_much_with_the_right_one() -> None:
    right, wrong, other = as_dict("cancellation"), as_dict("cancelation"), as_dict("website")

    def likeness(one: dict[int, float], two: dict[int, float]) -> float:
        return sum(weight * two.get(bucket, 0.0) for bucket, weight in one.items())

    assert likeness(right, wrong) > 0.4 > likeness(right, other)


def test_of_a_long_text_both_ends_are_read() -> None:
    text = "begin " + "x" * 10_000 + " end"

    short = shorten(text)

    assert len(short) == LONGEST + 1
    assert short.startswith("begin ")
    assert short.endswith(" end")
    assert shorten("short") == "short"


def test_the_companys_own_name_is_one_word_whatever_it_is() -> None:
    assert fold("Cancel my HARBOUR & PINE order", "Harbour & Pine") == fold("cancel my voxtel order", "Voxtel")
    assert fold("cancel my netflix plan", "Voxtel") != fold("cancel my voxtel plan", "Voxtel")


def test_dense_features_are_standardised_and_a_missing_one_is_average() -> None:
    means = np.full(DENSE, 0.5, dtype=np.float32)
    scales = np.full(DENSE, 0.25, dtype=np.float32)

    row = standardised(dense_row({TOPIC[0]: 1.0}, ["§cancel"]), means, scales)

    assert row[: len(TOPIC)].tolist() == [2.0, *[0.0] * (len(TOPIC) - 1)]
