"""What the local head reads of a message."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.classify.features import BUCKETS, LONGEST, TOPIC, ngrams, shorten, topic_row


def as_dict(text: str) -> dict[int, float]:
    buckets, weights = ngrams(text)
    return {int(bucket): round(float(weight), 6) for bucket, weight in zip(buckets, weights, strict=True)}


@given(st.text(max_size=200))
def test_any_text_has_distinct_buckets_and_a_length_of_one(text: str) -> None:
    buckets, weights = ngrams(text)

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


def test_topic_features_are_standardised_and_a_missing_one_is_average() -> None:
    means = np.full(len(TOPIC), 0.5, dtype=np.float32)
    scales = np.full(len(TOPIC), 0.25, dtype=np.float32)

    row = topic_row({TOPIC[0]: 1.0}, means, scales)

    assert row.tolist() == [2.0, *[0.0] * (len(TOPIC) - 1)]
