"""Codes that the articles list by the dozen (`TW-3004`, `QY1302`), and whether a question names one that they do not.

The passage about the code beside it fits such a question in every word but one, and explains another error.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from handrail.types import Passage

WRITTEN = re.compile(r"(?<![\w-])([A-Z]{1,8})([-_]?)(\d{1,6})(?![\w-])")
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
            for match in WRITTEN.finditer(text):
                if _may_be_code(match):
                    found[match[1], match[2]].add(int(match[3]))
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


def _may_be_code(match: re.Match[str]) -> bool:
    return bool(match[2]) or (len(match[1]) > 1 and len(match[3]) >= FEWEST_DIGITS)
