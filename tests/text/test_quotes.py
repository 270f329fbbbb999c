"""Quotations are found with offsets that are valid in the passage, and half sentences are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.text.quotes import found_in, quoted
from handrail.text.words import sentences, visible

PASSAGE = (
    "1. Open **Settings**.\n2. Choose [Domains](https://x.example/only) and press **Add**. Then wait.\n\n"
    "| Plan | Price |\n|---|---|\n| Solo | €14 |\n| Team | €30 |\n\nYou can cancel only within 14 days."
)


def words_of(claim: str, headings: tuple[str, ...] = ()) -> list[str] | None:
    spans = quoted(claim, PASSAGE, headings)
    return None if spans is None else [PASSAGE[start:end] for start, end in spans]


def test_a_step_is_found_whatever_its_marker_and_markup() -> None:
    assert words_of("7. Open Settings") == ["Open **Settings**."]


def test_two_sentences_of_one_step_may_be_one_claim() -> None:
    assert words_of("2. Choose Domains and press **Add**. Then wait.") == [
        "Choose [Domains](https://x.example/only) and press **Add**.",
        "Then wait.",
    ]


def test_a_heading_above_needs_no_place_in_the_text() -> None:
    assert words_of("**Connect it:**\n\n1. Open **Settings**.", ("Connect it",)) == ["Open **Settings**."]
    assert words_of("**Connect it:**\n\n1. Open **Settings**.") is None


def test_a_numbered_heading_in_bold_is_known_for_one() -> None:
    assert words_of("**1. Connect it:**\n\n1. Open **Settings**.", ("1. Connect it",)) == ["Open **Settings**."]


def test_a_heading_is_known_without_its_number_and_with_two_sentences() -> None:
    claim = "1. Open **Settings**."
    asked = "We share one computer. What is best?"

    assert words_of(f"**Connect it:**\n\n{claim}", ("Step 2: Connect it",)) == ["Open **Settings**."]
    assert words_of(f"**{asked}**\n\n{claim}", (asked,)) == ["Open **Settings**."]
    assert words_of(f"**Connect it:**\n\n{claim}", ("Step 2", "Step 3: Connect")) is None


def test_rows_are_found_without_those_left_out() -> None:
    assert words_of("| Plan | Price |\n|---|---|\n| Team | €30 |") == ["Plan | Price |", "Team | €30 |"]


@pytest.mark.parametrize(
    "claim",
    ["You can cancel.", "You can cancel only within 30 days.", "You cannot cancel only within 14 days.", "", "!"],
)
def test_half_a_sentence_or_a_changed_word_is_no_quotation(claim: str) -> None:
    assert words_of(claim) is None


def test_a_judges_quote_is_found_in_the_text_as_it_stands() -> None:
    span = found_in("choose domains and press add", PASSAGE)

    assert span is not None
    assert PASSAGE[slice(*span)] == "Choose [Domains](https://x.example/only) and press **Add"
    assert found_in("choose domains or press add", PASSAGE) is None
    assert found_in("", PASSAGE) is None


@given(st.text(alphabet=st.sampled_from("ab1 .\n*|[]()-<>€'’ “ß中")))
def test_places_are_valid_for_any_text(text: str) -> None:
    assert len(visible(text)) == len(text)
    for part in sentences(text):
        assert 0 <= part.start < part.end <= len(text)
        assert all(text[token.start : token.end].replace("’", "'") == token.text for token in part.tokens)
    for span in quoted(text, text) or []:
        assert text[slice(*span)].strip()
