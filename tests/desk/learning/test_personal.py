"""What is taken out of texts before they leave their conversation, and what is left."""

from __future__ import annotations

import pytest

from handrail.desk.learning.personal import impersonal, without_salutation


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("write to jo.smith+x@mail.example.co.uk please", "jo.smith"),
        ("write to jo.smith (at) example.com please", "jo.smith"),
        ("call me on +49 (0)30 1234-5678", "1234"),
        ("call 030/1234567", "1234567"),
        ("my order number is A-20391-X", "20391"),
        ("invoice #2026-0042 is wrong", "0042"),
        ("My name is Ana López and I need help", "López"),
        ("ich bin Jürgen Groß", "Jürgen"),
        ("ref HR-7K3QX9", "7K3QX9"),
        ("from 192.168.10.77", "192.168"),
        ("see https://app.example/reset?token=abc123", "abc123"),
        ("card 4242 4242 4242 4242", "4242"),
    ],
)
def test_personal_data_is_taken_out(text: str, secret: str) -> None:
    assert secret not in impersonal(text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I connect my domain in 3 steps?",
        "The plan costs 29.00 a month since 2026-01-31.",
        "We have 10 000 000 visitors and version 2.14.3.",
        "Forward the ports 49152-65535 to the camera",
        "Error code E-4012 when I open order settings",
        "Open **Settings** and choose **Domains**.",
        "I am on the Pro plan",
    ],
)
def test_what_is_about_the_product_is_kept(text: str) -> None:
    assert impersonal(text) == text


def test_names_that_are_known_are_taken_out_anywhere() -> None:
    assert impersonal("Thanks Maria, said maria", ("Maria",)) == "Thanks [name removed], said [name removed]"


def test_greeting_and_signature_go() -> None:
    text = "Hi Ana,\n\nOpen Settings and choose Domains.\n\nBest regards,\nMaria from support"

    assert without_salutation(text) == "Open Settings and choose Domains."
