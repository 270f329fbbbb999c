"""Misspelt words of a question, put right after the words of the articles."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.retrieve.spelling import Spelling, distance
from handrail.stores import snapshot as snapshots
from tests.stages import passage

TEXTS = [
    "Connect your domain to the store. The domain and the store belong to one customer.",
    "A subscription of a customer renews by itself; cancel the subscription in Settings. Connect it again later.",
    "Error TW-3004 and the e-mail address admin@example.com. Groceries.",
]
COMMON = frozenset(["please", "which", "would", "store", "different", "thunder", "grocer"])


def spelling(lang: str = "en") -> Spelling:
    made = [passage(f"a{number}/0", text, title="Help") for number, text in enumerate(TEXTS)]
    snapshot = snapshots.build(made, np.eye(len(made), 3, dtype=np.float32), lang)
    return Spelling(snapshot, lambda word: word in COMMON)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("conect my domian", "connect my domain"),
        ("Conect my DOMIAN, please", "connect my domain, please"),
        ("how do I cancle a subscripton?", "how do I cancle a subscription?"),
        ("custommer custmer csutomer", "customer customer customer"),
        ("subscritpoin", "subscription"),
        ("my stoer and my stores", "my store and my stores"),
    ],
)
def test_words_a_slip_away_are_put_right(text: str, mended: str) -> None:
    assert spelling().mended(text) == mended


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?!",
        "connecting domains, subscriptions, customers'",
        "a different domain",
        "they dont, wouldnt and shouldnt",
        "TW-3004 tw-3005 domian-2 domian.example domian@example.com domian's",
        "the stor stoor",
        "grocerys",
        "qwertz asdfgh domiam zxcvbn",
        "ich möchte meine Kundin zurückrufen",
        "d" * 5000,
        "домен",
    ],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert spelling().mended(text) == text


def test_articles_in_another_language_are_left_alone() -> None:
    assert spelling("de").mended("conect my domian") == "conect my domian"


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [
        ("domain", "domain", 0),
        ("domian", "domain", 1),
        ("domin", "domain", 1),
        ("doomain", "domain", 1),
        ("dumain", "domain", 1),
        ("dmoian", "domain", 2),
        ("kitten", "sitting", 3),
        ("abc", "xyzuvw", 3),
        ("", "ab", 2),
    ],
)
def test_slips(one: str, other: str, slips: int) -> None:
    assert distance(one, other, 2) == slips
    assert distance(other, one, 2) == slips
