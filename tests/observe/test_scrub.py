from __future__ import annotations

import pytest

from handrail.observe.scrub import LONGEST_TEXT, scrub, scrub_text
from handrail.types import Label


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("mail ann.lee+x@mail.example.co.uk now", "mail [e-mail removed] now"),
        ("ann(at)example.com", "[e-mail removed]"),
        ("?email=ann%40example.com", "?email=[e-mail removed]"),
        ("call +44 20 7946 0958 today", "call [phone number removed] today"),
        ("(030) 123 456 78", "[phone number removed]"),
        ("tel 0171/1234567", "tel [phone number removed]"),
        ("415-555-2671.", "[phone number removed]."),
        ("my number is 4155552671", "my number is [phone number removed]"),
        ("card 4111 1111 1111 1111", "card [card number removed]"),
    ],
)
def test_contacts_and_secrets_are_taken_out(text: str, left: str) -> None:
    assert scrub_text(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Error 0x80070005 on page 404",
        "EUR 1,200.50 on 2026-05-12 at 10:30",
        "version 10.0.19045.3803",
        "domains:connect-a-domain/2",
        "a ratio of 0.123456789",
        "@handrail on 127.0.0.1:8400",
        "order 10023",
        "paid on 01.02.2026",
        "6f9619ff-8b86-4d01-b42d-00c04fc964ff",
    ],
)
def test_codes_prices_dates_and_ids_stay(text: str) -> None:
    assert scrub_text(text) == text


def test_structures_become_plain_data_with_every_text_scrubbed() -> None:
    value = {
        "a@b.example": ["c@d.example", 3, None, True],
        "label": Label.ANSWERABLE,
        "ids": ("x",),
        "e": ValueError("f@g.example"),
    }

    assert scrub(value) == {
        "[e-mail removed]": ["[e-mail removed]", 3, None, True],
        "label": "answerable",
        "ids": ["x"],
        "e": "[e-mail removed]",
    }


def test_very_long_texts_are_cut_and_say_so() -> None:
    text = scrub_text("word " * LONGEST_TEXT)

    assert len(text) < LONGEST_TEXT + 40
    assert text.endswith(f"[{4 * LONGEST_TEXT} more characters]")
