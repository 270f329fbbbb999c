"""Misspelt words of a question, put right after the words of the articles."""

from __future__ import annotations

import numpy as np
import pytest

from handrail.retrieve.spelling import Spelling, replaced, slips
from handrail.stores import snapshot as snapshots
from tests.stages import passage

TEXTS = [
    "Connect your domain to the store. The domain and the store belong to one customer.",
    "A subscription of a customer renews by itself; cancel the subscription in Settings. Connect it again later.",
    "Error TW-3004 and the e-mail address admin@example.com. Groceries.",
]
COMMON = [
    "please",
    "which",
    "would",
    "store",
    "different",
    "thunder",
    "grocer",
    "what",
    "where",
    "there",
    "route",
    "warrant",
]


def spelling(lang: str = "en") -> Spelling:
    made = [passage(f"a{number}/0", text, title="Help") for number, text in enumerate(TEXTS)]
    snapshot = snapshots.build(made, np.eye(len(made), 3, dtype=np.float32), lang)
    return Spelling(snapshot, COMMON)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("conect my domian", "connect my domain"),
        ("Conect my DOMIAN, please", "connect my domain, please"),
        ("how do I cancle a subscripton?", "how do I cancle a subscription?"),
        ("custommer custmer csutomer", "customer customer customer"),
        ("susbcription", "subscription"),
        ("diferent thunde", "different thunder"),
        ("my stoer and its stores, Custmer", "my store and its stores, customer"),
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
        "whats new and wheres the menu, theres none",
        "the router has a warranty",
        "TW-3004 tw-3005 domian-2 domian.example domian@example.com domian's",
        "the stor stoor",
        "grocerys",
        "qwertz asdfgh domiam zxcvbn",
        "ich möchte meine Kundin zurückrufen",
        "hola, ¿cuándo cambio mi domian y mi correo?",
        "d" * 5000,
        "домен",
    ],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert spelling().mended(text) == text


def test_articles_in_another_language_are_left_alone() -> None:
    assert spelling("de").mended("conect my domian") == "conect my domian"


def test_every_slip_but_in_the_first_letter_is_thought_of() -> None:
    near = {*slips("domain"), *replaced("domain")}

    assert {"domian", "domin", "doomain", "dumain", "domains", "domai"} <= near
    assert near.isdisjoint({"omain", "bomain", "odmain", "dmoian"})


def test_another_letter_makes_another_word() -> None:
    assert spelling().mended("dofferent dumains, not domains") == "dofferent dumains, not domains"
    assert spelling().mended("the dumain is dofferent") == "the domain is dofferent"


def test_two_words_written_as_one_are_no_misspelling_of_a_name_like_them() -> None:
    made = [passage(f"b{number}/0", "Connect Storyblok in Settings.", title="Storyblok") for number in range(2)]
    mends = Spelling(snapshots.build(made, np.eye(2, 3, dtype=np.float32), "en"), ["story", "book", "block"])

    assert mends.mended("set up Storybook") == "set up Storybook"
    assert mends.mended("set up Storyblck") == "set up storyblok"


def test_a_name_is_not_taken_for_a_common_word() -> None:
    assert spelling().mended("ask Diferent about diferent domian") == "ask Diferent about different domain"
