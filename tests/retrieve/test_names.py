"""Names of people that no article knows are left out of what is searched for."""

from __future__ import annotations

import pytest

from handrail.retrieve.names import without_names

KNOWN = {"Portal", "Stripe", "Berlin"}


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        (
            "my client Anna Berg from Hamburg wants to move her appointment, how?",
            "my client wants to move her appointment, how?",
        ),
        ("A customer called Mr. O'Neill wants a refund", "A customer wants a refund"),
        ("can my colleague Priya see the calendar", "can my colleague see the calendar"),
        ("Unsere Kundin Frau Müller möchte absagen", "Unsere Kundin möchte absagen"),
        ("does my friend Tom in Berlin need a visa", "does my friend in Berlin need a visa"),
        ("the client Portal does not load", "the client Portal does not load"),
        ("my partner Stripe Connect account", "my partner Stripe Connect account"),
        ("Is there a Client Area", "Is there a Client Area"),
        ("a customer wants her money back", "a customer wants her money back"),
        ("can customers book Yoga", "can customers book Yoga"),
        ("HOW DOES MY CUSTOMER PAY", "HOW DOES MY CUSTOMER PAY"),
        ("", ""),
    ],
)
def test_names_behind_a_word_for_a_person(question: str, searched: str) -> None:
    assert without_names(question, KNOWN.__contains__) == searched
