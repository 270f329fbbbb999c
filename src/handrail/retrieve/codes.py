"""Codes of which the articles list several (`TW-3004`, `QY1302`), and whether a question names one that they do not.

The passage about the code beside it fits such a question in every word but one, and explains another error.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from handrail.types import Passage

WRITTEN = re.compile(r"(?<![\w-])([A-Z]{1,8})([-_]?)(\d{1,6})(?![\w-])")
RANGE = re.compile(
    r"(?<![\w-])([A-Z]{1,8})([-_]?)(\d{1,6})\s?(?:[-–—…]|\.{2,3}|to|through|bis|à|al?|até|до)\s?(?:\1\2)?(\d{1,6})(?![\w-])"
)
ALIKE = re.compile(r"(?<![\w-])([A-Z]{1,8})([-_]?)(\d{1,5})([xX*]{1,4})(?![\w-])")
"""`TW-3001 to TW-3009`, and `TW-30xx`."""
WIDEST = 10_000
NAMED = re.compile(r"(?<![\w-])([A-Za-z]{1,8})([-_]?)(\d{1,6})(?![\w-])")
FEWEST = 3
"""Numbers with the same letters that make a list of codes; one or two are examples (`INV-1001`)."""
FEWEST_DIGITS = 3
"""Of a code without a hyphen, whose letters are two or more: `S3` and `A4` are names."""

Kind = tuple[str, str]
"""Letters, upper case, and what joins them to the number."""


class ListedCodes:
    def __init__(self, passages: Sequence[Passage]) -> None:
        found: dict[Kind, set[int]] = defaultdict(set)
        for text in chain.from_iterable((p.title, *p.headings, p.text) for p in passages):
            for match in chain(WRITTEN.finditer(text), RANGE.finditer(text), ALIKE.finditer(text)):
                if _may_be_code(match):
                    found[match[1], match[2]].update(_numbers(match))
        self._numbers = {kind: numbers for kind, numbers in found.items() if len(numbers) >= FEWEST}

    def unlisted(self, question: str) -> tuple[str, ...]:
        """Codes of a listed kind that no article names, as the question spells them."""
        named = ((match[0], match[1].upper(), match[2], int(match[3])) for match in NAMED.finditer(question))
        return tuple(
            dict.fromkeys(
                spelt
                for spelt, letters, join, number in named
                if number not in self._numbers.get((letters, join), {number})
            )
        )


def _numbers(match: re.Match[str]) -> range:
    """What is written out, or lies between the ends of a range that is not absurdly wide."""
    first = last = int(match[3])
    if match.re is RANGE:
        last = int(match[4])
    elif match.re is ALIKE:
        many = 10 ** len(match[4])
        first, last = first * many, (first + 1) * many - 1
    return range(first, last + 1) if last - first < WIDEST else range(0)


def _may_be_code(match: re.Match[str]) -> bool:
    digits = len(match[3]) + (len(match[4]) if match.re is ALIKE else 0)
    return bool(match[2]) or (len(match[1]) > 1 and digits >= FEWEST_DIGITS)
