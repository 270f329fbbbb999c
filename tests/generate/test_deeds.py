"""What a message wants done, and headings that say how."""

from __future__ import annotations

import pytest

from handrail.generate.deeds import deed, heads_deed, heads_trouble


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("how do I add a second language", "add"),
        ("Please remove my logo", "remove"),
        ("I want to turn off the banner", "turn-off"),
        ("can we export everything", "export"),
        ("how can I set up a deposit", "set-up"),
        ("what does it cost", ""),
        ("my card was declined", ""),
        ("how do I get my money", ""),
        ("", ""),
    ],
)
def test_the_deed_is_the_verb_of_what_is_wanted(message: str, wanted: str) -> None:
    assert deed(message) == wanted


@pytest.mark.parametrize(
    ("heading", "message", "said"),
    [
        ("Add a language", "how do I add a second language", True),
        ("Create a language", "how do I add a second language", True),
        ("Where do I change the price?", "change the price of a service", True),
        ("Switch off the banner", "can I turn off the banner", True),
        ("Change the main language", "how do I add a second language", False),
        ("Switch on the banner", "can I turn off the banner", False),
        ("Add a language", "which languages are there", False),
    ],
)
def test_a_heading_names_the_deed_in_its_own_words(heading: str, message: str, said: bool) -> None:
    assert heads_deed(heading, message) is said


@pytest.mark.parametrize(
    ("heading", "message", "unasked"),
    [
        ("The deposit cannot be paid", "can I take a deposit", True),
        ("Error TW-12: declined", "how do customers pay", True),
        ("The deposit cannot be paid", "customers can't pay the deposit", False),
        ("Reminders do not arrive", "where are my reminders, nothing came", False),
        ("Error TW-12: declined", "what is TW-12", False),
        ("Set up a deposit", "can I take a deposit", False),
        ("What is not covered", "is theft covered", False),
    ],
)
def test_trouble_is_for_who_has_it(heading: str, message: str, unasked: bool) -> None:
    assert heads_trouble(heading, message) is unasked
