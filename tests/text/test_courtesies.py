"""What surrounds a request is left out, and the request itself never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.text.courtesies import without_courtesies, without_trailer

REQUEST = "how do I refund an order"


@pytest.mark.parametrize(
    "message",
    [
        "Hello, how do I refund an order",
        "hi how do I refund an order please",
        "Good morning dear team! I hope you are all well. how do I refund an order",
        "Hi Anna, how do I refund an order, thank you very much in advance",
        "Dear Tillwick team, how do I refund an order. Kind regards, Tom Baker",
        "sorry to bother you. how do I refund an order please help asap",
        "Quick question: how do I refund an order. Thanks!! Jo",
        "Hi, me again. One more thing: how do I refund an order",
        "Thanks for your help so far. how do I refund an order",
        "Bonjour à tous, how do I refund an order, merci d'avance",
        "Hallo zusammen, how do I refund an order. Vielen Dank im Voraus",
        "Hola, how do I refund an order. Gracias",
        "Hi, this is Marta from Studio Lumen, how do I refund an order",
        "My name is Tom Baker and I'm from The Bike Shed. how do I refund an order",
        "Guten Tag, hier ist Anna Maier von Salon Süd, how do I refund an order",
        "Buongiorno, how do I refund an order, grazie mille",
        "Здравствуйте! how do I refund an order. Заранее спасибо",
        "Hejsan, how do I refund an order. Tack på förhand",
        "Goddag, how do I refund an order. Mange tak",
        "Dobrý den, how do I refund an order, předem děkuji",
        "  how do I refund an order\n\nBest wishes\nPat",
    ],
)
def test_only_the_request_is_left(message: str) -> None:
    assert without_courtesies(message).rstrip(".") == REQUEST


@pytest.mark.parametrize(
    "message",
    [
        "hello fresh refund",
        "hello world tutorial",
        "thanks for nothing, I want my money back",
        "morning classes don't show",
        "what plan is best",
        "dear customers appears twice in my mail",
        "is it urgent",
        "Help",
        "thank you page",
        "this is Stripe, not PayPal",
        "I'm Owner of the account, why can't I cancel",
        "this is from Studio, how do I refund",
        "my name is wrong, how do I change it",
        "how do I thank a customer",
        "hi",
        "thank you so much",
        "Hello, thanks!",
        "tack",
        "",
    ],
)
def test_words_that_matter_stay(message: str) -> None:
    assert without_courtesies(message) == message


def test_a_command_after_a_greeting_is_no_name() -> None:
    assert without_courtesies("hey cancel my plan, now") == "cancel my plan, now"
    assert without_courtesies("HI CANCEL MY PLAN, NOW") == "CANCEL MY PLAN, NOW"


@given(st.text(max_size=300))
def test_any_text_comes_back_as_a_part_of_itself(text: str) -> None:
    found = without_courtesies(text)

    assert found in text
    assert bool(found) == bool(text.strip())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("how do I cancel my subscription then?", "how do I cancel my subscription?"),
        ("is it free for us tho", "is it free for us"),
        ("what happens then?", "what happens then?"),
        ("if that fails, then?", "if that fails, then?"),
    ],
)
def test_a_then_behind_a_whole_question_is_left_out(text: str, rest: str) -> None:
    assert without_trailer(text) == rest
