"""Words as keyword search sees them."""

from __future__ import annotations

import pytest

from handrail.stores.tokens import coverage, tokenize, words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Refunding orders", ["refund", "order"]),
        ("the of and", []),
        ("TW-3001", ["tw-3001", "tw3001", "tw", "3001"]),
        ("e-mail", ["e-mail", "email", "mail"]),
        ("example.com", ["example.com", "examplecom", "exampl", "com"]),
        ("Über 支払い", ["über", "支払い"]),
        ("?!", []),
    ],
)
def test_terms_are_stemmed_and_joined_words_kept_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert tokenize(text) == terms


def test_words_keep_hyphenated_terms_whole() -> None:
    assert words("Error TW-3001, see e-mail.") == ["error", "tw-3001", "see", "e-mail"]


def test_a_hyphenated_term_is_found_however_it_is_written() -> None:
    assert set(tokenize("email")) <= set(tokenize("e-mail"))
    assert set(tokenize("double opt in")) <= set(tokenize("double opt-in")) | {"in"}


def test_coverage_weighs_terms_by_how_rare_they_are() -> None:
    weights = {"refund": 3.0, "order": 1.0}

    assert coverage("refund orders", "An order.", weights, unknown=5.0) == 0.25
    assert coverage("refund giraffes", "Refunds.", weights, unknown=5.0) == 3 / 8
    assert coverage("the of", "Anything.", weights, unknown=5.0) == 0.0
