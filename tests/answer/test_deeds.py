"""What a message wants done, and headings that say how."""

from __future__ import annotations

import pytest

from handrail.answer.deeds import deed, heads_deed, heads_deed_to, heads_same_trouble, heads_trouble


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


@pytest.mark.parametrize(
    ("title", "message", "said"),
    [
        ("Reschedule a booking", "my customer wants to move her appointment", True),
        ("Reschedule a booking", "my client wants to change her appointment", True),
        ("Refund a customer", "how do I refund a client", True),
        ("Cancel a customer's booking", "how do I cancel a client's appointment", True),
        ("Change your plan", "I want to change the limit", False),
        ("Change your e-mail address", "how do i change what the confirmation email says", False),
        ("Reschedule a booking", "my booking was moved", False),
        ("Add", "how do I add a page", False),
    ],
)
def test_a_title_names_the_deed_and_what_it_is_done_to(title: str, message: str, said: bool) -> None:
    assert heads_deed_to(title, message) is said


@pytest.mark.parametrize(
    ("title", "message", "same"),
    [
        ("If you cannot pay", "i can't pay the bill", True),
        ("If you cannot pay", "i cannot pay the bill", True),
        ("If you cannot pay", "how can i pay the bill", False),
        ("Ways to pay", "i cannot pay the bill", False),
        ("You cannot sign in", "i can't pay the bill", False),
    ],
)
def test_a_title_is_about_what_cannot_be_done(title: str, message: str, same: bool) -> None:
    assert heads_same_trouble(title, message) is same
