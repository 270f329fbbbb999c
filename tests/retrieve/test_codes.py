"""Codes of a kind that the articles list, asked about and not among them."""

from __future__ import annotations

import pytest

from handrail.retrieve.codes import ListedCodes
from handrail.types import Passage

TEXT = """
| Code | Meaning |
|---|---|
| `TW-3001` | the card was declined |
| `TW-3004` | the address is not known |

S-5 and S-12 and S-31 are lights of the box. An invoice has a number such as INV-1001. Print on A3, A4 or A5,
upload to S3, EC2 or R53. QY1101, QY1102 and QY2007 end a build, UTF-8 and UTF-16 a debate.
"""
LISTED = ListedCodes([Passage("a/0", "a", 0, "TW-2010 and what it means", ("N-01", "N-02", "N-07"), TEXT, "", 0)])


@pytest.mark.parametrize(
    ("question", "unlisted"),
    [
        ("What does TW-7002 mean?", ("TW-7002",)),
        ("tw-7002 again, after tw-3001", ("tw-7002",)),
        ("qy2008!! and QY1101", ("qy2008",)),
        ("S-9 is on, or s-9, and TW-1", ("S-9", "s-9", "TW-1")),
        ("N-9 on the screen", ("N-9",)),
        ("N-1 on the screen", ()),
        ("What does TW-3001 mean?", ()),
        ("TW3001 or TW 3009", ()),
        ("where is INV-2034", ()),
        ("can I print A6 or upload to S9, EC3", ()),
        ("is UTF-32 read", ()),
        ("my host tw-3009-b and www.tw-3009x", ()),
        ("", ()),
    ],
)
def test_only_codes_of_a_listed_kind_that_no_article_names(question: str, unlisted: tuple[str, ...]) -> None:
    assert LISTED.unlisted(question) == unlisted


@pytest.mark.parametrize(
    ("text", "listed", "unlisted"),
    [
        ("TW-3001 to TW-3009 are about DNS.", "TW-3005", "TW-3010"),
        ("TW-3001–3009 are about DNS.", "TW-3005", "TW-3010"),
        ("Codes TW-30xx are about DNS.", "TW-3099", "TW-3100"),
        ("TW-3001, TW-3002 and TW-3003.", "TW-3002", "TW-3004"),
        ("QY13xx end a build.", "QY1305", "QY1401"),
    ],
)
def test_ranges_hold_what_is_between(text: str, listed: str, unlisted: str) -> None:
    codes = ListedCodes([Passage("a/0", "a", 0, "Codes", (), text, "", 0)])

    assert codes.unlisted(f"{listed} or {unlisted}") == (unlisted,)


@pytest.mark.parametrize("text", ["Print on A1-A4, or A1 to 4.", "Plug S1-5 in.", "TW-1 to TW-999999 and TW-5-3"])
def test_sizes_and_absurd_ranges_make_no_kind(text: str) -> None:
    codes = ListedCodes([Passage("a/0", "a", 0, "Sizes", (), text, "", 0)])

    assert codes.unlisted("Does it take A5, S7 or TW-1000000 and TW-77?") == ()


def test_without_articles_no_code_is_of_a_listed_kind() -> None:
    assert ListedCodes([]).unlisted("What does TW-7002 mean?") == ()


@pytest.mark.parametrize("text", ["A-" * 20_000, "A1" * 20_000, "1" * 40_000, "A" * 40_000, "A-1" * 20_000])
def test_very_long_words_are_nothing_special(text: str) -> None:
    assert LISTED.unlisted(text) == ()
