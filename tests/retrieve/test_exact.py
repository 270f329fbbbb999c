"""Words that only their own spelling finds."""

from __future__ import annotations

import pytest

from handrail.retrieve.exact import exact_terms

VOCABULARY = {"tw-3004", "429", "getstaticpath", "sku_1", "invoic", "whatsapp", "200", "12th", "wr40"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what does TW-3004 mean", {"tw-3004"}),
        ("what does tw-3004 mean?", {"tw-3004"}),
        ("our script keeps getting a 429", {"429"}),
        ("where do I call getStaticPaths", {"getstaticpath"}),
        ("is SKU_1 sold out, or WR40", {"sku_1", "wr40"}),
        ("error TW-9999", set()),
        ("200 invoices on the 12th", set()),
        ("message me on WhatsApp, I'm e-mailing the 2nd invoice", set()),
        ("", set()),
        ("???", set()),
    ],
)
def test_codes_that_the_articles_hold_and_nothing_else(query: str, found: set[str]) -> None:
    assert exact_terms(query, VOCABULARY) == found


@pytest.mark.parametrize(
    "text", ["a1" * 20_000, "a" * 40_000, "_a" * 20_000, "1" * 40_000, "aB" * 20_000, "a-" * 20_000]
)
def test_very_long_words_are_nothing_special(text: str) -> None:
    assert exact_terms(text, VOCABULARY) == frozenset()
