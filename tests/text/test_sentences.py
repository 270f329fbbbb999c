"""A message cut into its sentences."""

import pytest

from handrail.text.sentences import MOST, parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How do I add a page?", []),
        ("", []),
        ("... ?!", []),
        ("Version 2.1 costs 4.50 a month", []),
        ("I run a bakery. How do I add a page?", ["I run a bakery.", "How do I add a page?"]),
        ("I run a bakery\n\nhow do I add a page", ["I run a bakery", "how do I add a page"]),
        ("Nice!!! 🙂 Two things…  Refund me.", ["Nice!!!", "🙂 Two things…", "Refund me."]),
    ],
)
def test_parts_are_sentences_with_words_and_none_of_a_single_one(text: str, found: list[str]) -> None:
    assert parts(text) == found


@pytest.mark.parametrize("count", [2, MOST, MOST + 1, 13, 500])
def test_a_long_message_is_cut_into_few_parts_and_nothing_is_lost(count: int) -> None:
    text = " ".join(f"Sentence {n}." for n in range(count))

    found = parts(text)

    assert len(found) == min(count, MOST)
    assert " ".join(found) == text
