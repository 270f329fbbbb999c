"""Where one question of a message ends and the next begins."""

from __future__ import annotations

import pytest

from handrail.converse.several import questions_of


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "How do I change my domain, and do you charge for it?",
            ("How do I change my domain", "Do you charge for it?"),
        ),
        (
            "where can I find my invoices? Also, can I get them by email?",
            ("Where can I find my invoices?", "Can I get them by email?"),
        ),
        ("how much is studio and does it include sms", ("How much is studio", "Does it include sms")),
        (
            "hi! two things: how do i get a refund, and how do I add a logo",
            ("How do i get a refund", "How do I add a logo"),
        ),
        (
            "An employee left last week. How do I remove her and what happens with her bookings?",
            ("An employee left last week. How do I remove her", "What happens with her bookings?"),
        ),
        (
            "Is there an app? Can two people use it? And what does it cost?",
            ("Is there an app?", "Can two people use it?", "What does it cost?"),
        ),
    ],
)
def test_each_question_is_a_part_with_what_was_told_before_it(message: str, parts: tuple[str, ...]) -> None:
    assert questions_of(message) == parts


@pytest.mark.parametrize(
    "message",
    [
        "How do I add a service?",
        "do you support apple pay and google pay?",
        "can i export my customers and import them into another tool",
        "what is a deposit and how do I take one?",
        "how can I see who booked and when they paid",
        "Can I write the notice now and have it appear on the 20th?",
        "Will you print labels for me, and if not, where do I put the number?",
        "When a payment is refunded, which reference number will stand on my statement?",
        "is this mail really from you? they ask for my card",
        "I thought an address was thrown in when paying for the year? Where's mine?",
        "Why did nobody get a text before the 7 a.m. appointment this morning, and got it last evening instead?",
        "What a mess! All my variants are in the wrong order. How do I sort them!!",
        "why on earth is this so complicated?! where is the setting for the language",
        "Can I do this? Can I do that? Can I buy bread? Can I sell shoes? Can I rent cars?",
        "",
        "?? and ?",
        "and how " * 400,
    ],
)
def test_what_is_one_question_or_none_is_left_alone(message: str) -> None:
    assert questions_of(message) == ()
