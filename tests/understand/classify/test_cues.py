"""A message read without its content words."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.understand.classify.cues import CONTENT, MASHED, mashed, patterns, read_word, skeleton


@pytest.mark.parametrize(
    "text",
    [
        "cancel my plan",
        "kündige meinen vertrag",
        "résiliez mon abonnement",
        "cancelen mi suscripción",
        "anuluj mój abonament",
        "отмените мой тариф",
    ],
)
def test_the_same_request_has_the_same_skeleton_in_every_language(text: str) -> None:
    assert skeleton(text) == ["§cancel", "§own", "§plan"]


def test_arabic_is_read_too() -> None:
    assert skeleton("أريد إلغاء اشتراكي واسترداد أموالي")[:3] == ["§want", "§cancel", "§plan"]
    assert skeleton("كيف أربط نطاقي")[0] == "§how"


def test_what_the_company_sells_is_left_out() -> None:
    assert skeleton("how do i descale the grinder") == skeleton("how do i waterproof the jacket")
    assert skeleton("cancel a guest") != skeleton("cancel my plan")


@pytest.mark.parametrize("word", ["asdf", "lkjhg", "sdfkj", "qwertz", "aaaa", "hahaha", "xcvbnm"])
def test_mash_is_seen(word: str) -> None:
    assert mashed(word)


@pytest.mark.parametrize(
    "word", ["angstschweiß", "strengths", "rhythm", "webhook", "подъезд", "szczęście", "schlecht", "e-mail"]
)
def test_hard_words_are_no_mash(word: str) -> None:
    assert not mashed(word)
    assert read_word(word) != MASHED


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    read = skeleton(text.casefold())

    assert all(first != CONTENT or second != CONTENT for first, second in itertools.pairwise(read))
    assert all(weight > 0 for _, weight in patterns(read))


def test_a_long_text_is_read_in_a_few_milliseconds() -> None:
    text = "my customer wants to cancel the plan because of the refund " * 20
    skeleton(text)

    start = time.process_time()
    list(patterns(skeleton(text)))

    assert time.process_time() - start < 0.1
