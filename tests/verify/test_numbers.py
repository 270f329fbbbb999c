"""Quantities mean the same however they are written."""

from __future__ import annotations

import pytest

from handrail.text.words import tokens
from handrail.verify.numbers import invents_a_number, quantities


def read(text: str) -> list[tuple[float, str]]:
    return [(number.value, number.unit) for number in quantities(tokens(text))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two weeks", "14 days"),
        ("half an hour", "30 minutes"),
        ("5 %", "five percent"),
        ("€2.50", "2,50 euros"),
        ("$5", "5 dollars"),
        ("2 p.m.", "14:00"),
        ("eleven at night", "23:00"),
        ("24 months", "two years"),
        ("3 working days", "three business days"),
        ("2,500 points", "2500 points"),
        ("1.5 GB", "1500 MB"),
        ("a week", "seven days"),
    ],
)
def test_the_same_amount(one: str, other: str) -> None:
    [first], [second] = quantities(tokens(one)), quantities(tokens(other))

    assert first.equals(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [("14 days", "14 hours"), ("€5", "$5"), ("2 a.m.", "2 p.m."), ("30 days", "3 days"), ("5 %", "5 GB")],
)
def test_another_amount(one: str, other: str) -> None:
    [first], [second] = quantities(tokens(one)), quantities(tokens(other))

    assert not first.equals(second)


def test_codes_and_pronouns_are_no_numbers() -> None:
    assert read("Error TW-3001 on the WR-40 router, the one you own") == []


@pytest.mark.parametrize(
    ("claim", "known"),
    [
        ("It costs €50.", "It costs €39, or is on loan."),
        ("You have 30 days.", "You have 14 days."),
        ("Ten wrong tries lock it for 20 minutes.", "Ten wrong tries lock it for 30 minutes."),
        ("We open at 9 a.m.", "We open at 10:00."),
        ("Up to 25 people.", "Up to twenty people."),
    ],
)
def test_a_number_that_stands_nowhere_is_invented(claim: str, known: str) -> None:
    assert invents_a_number(tokens(claim), tokens(known))


@pytest.mark.parametrize(
    ("claim", "known"),
    [
        ("You have two weeks.", "You have 14 days."),
        ("It costs 39 euros.", "It costs €39."),
        ("2,000 emails a month.", "The allowance is 2,000 on Team."),
        ("There are two ways to pay.", "Pay by card or by transfer."),
        ("1. Open the page.\n2. Save.", "Open the page, then save."),
        ("We open at nine in the morning.", "We open at 09:00."),
        ("It is free.", "It costs nothing."),
    ],
)
def test_a_number_in_other_words_is_not(claim: str, known: str) -> None:
    assert not invents_a_number(tokens(claim), tokens(known))
