"""Where a message may be cut: at the ends of sentences and of joined clauses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.understand.cut import LEAST_WORDS, MOST, joined, pieces


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("How do I connect a domain?", ["How do I connect a domain?"]),
        (
            "I run a bakery. How do I refund somebody? And can I undo it?",
            ["I run a bakery.", "How do I refund somebody?", "And can I undo it?"],
        ),
        (
            "how do I refund an order and how do I print a label",
            ["how do I refund an order", "how do I print a label"],
        ),
        (
            "cancel my plan at once, but first send me the invoices",
            ["cancel my plan at once", "first send me the invoices"],
        ),
        ("my first question\nmy second question", ["my first question", "my second question"]),
    ],
)
def test_sentences_and_joined_clauses_are_parts(text: str, parts: list[str]) -> None:
    assert list(pieces(text)) == parts


@pytest.mark.parametrize(
    ("lang", "text", "parts"),
    [
        ("de", "Kündigen, und wo finde ich meine Rechnung?", ["Kündigen, und wo finde ich meine Rechnung?"]),
        (
            "de",
            "Wie kündige ich den Tarif und wo finde ich meine Rechnung?",
            ["Wie kündige ich den Tarif", "wo finde ich meine Rechnung?"],
        ),
        (
            "es",
            "¿Cómo conecto mi dominio y cuánto tarda todo esto?",
            ["¿Cómo conecto mi dominio", "cuánto tarda todo esto?"],
        ),
        ("es", "No puedo entrar en mi cuenta desde ayer", ["No puedo entrar en mi cuenta desde ayer"]),
        ("fr", "le vase est arrivé en mille petits morceaux", ["le vase est arrivé en mille petits morceaux"]),
        ("nl", "Hoe zeg ik op en waar staat mijn factuur?", ["Hoe zeg ik op", "waar staat mijn factuur?"]),
        ("pt", "I have paid e com o cartão", ["I have paid", "com o cartão"]),
        ("fi", "Missä laskuni on, ja miten maksan sen?", ["Missä laskuni on", "ja miten maksan sen?"]),
    ],
)
def test_clauses_are_joined_by_the_words_of_their_language(lang: str, text: str, parts: list[str]) -> None:
    assert list(pieces(text, lang)) == parts


@pytest.mark.parametrize("between", [" ", "\n"])
def test_the_number_of_an_item_stays_with_it(between: str) -> None:
    items = ["1. How do I refund an order?", "2. How do I print a label?"]

    assert list(pieces(between.join(items))) == items


@pytest.mark.parametrize(
    "text",
    ["salt and pepper", "plans, prices and limits", "Where are my orders and returns?", "yes", "and then?", "", "?!"],
)
def test_a_few_words_joined_are_one_thing(text: str) -> None:
    assert list(pieces(text)) == [text]


def test_a_message_of_very_many_sentences_is_a_story() -> None:
    story = " ".join(f"Then this happened to me {n} times." for n in range(MOST + 1))

    assert list(pieces(story)) == [story]


def test_parts_are_joined_as_sentences() -> None:
    assert joined(["I run a bakery", "how do I refund somebody?", ", so what now"]) == (
        "I run a bakery. how do I refund somebody? so what now."
    )
    assert joined([]) == ""


WORDS = st.lists(
    st.sampled_from(["domain", "and", ",", "refund", "how", ".", "?", "\n", "but", ";", "2.", "it"]), max_size=40
).map(" ".join)


@given(WORDS)
def test_no_word_is_lost_but_those_that_join(text: str) -> None:
    parts = list(pieces(text))
    words = re.findall(r"\w+", " ".join(parts))
    joining = {"and", "but"}

    assert [word for word in words if word not in joining] == [
        word for word in re.findall(r"\w+", text) if word not in joining
    ]
    assert len(parts) == 1 or len(parts) <= MOST
    assert LEAST_WORDS > 1
