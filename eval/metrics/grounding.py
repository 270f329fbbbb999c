"""Whether a text states a sentence, by words alone: a cheap stand-in where no verifier was asked."""

from __future__ import annotations

import re

from eval.metrics.text import words
from handrail.stores.tokens import tokenize

ENOUGH = 0.75
"""Share of a statement's terms that its source must have."""
NUMBER = re.compile(r"\d")


def covered(statement: str, source: str) -> float:
    """Share of the stemmed terms of `statement` that stand in `source`, in [0, 1]; 1 for a statement without any."""
    terms = set(tokenize(statement))
    return len(terms & set(tokenize(source))) / len(terms) if terms else 1.0


def stated(statement: str, source: str) -> bool:
    """Enough of the words, and every number."""
    held = set(words(source))
    numbers = {word for word in words(statement) if NUMBER.search(word)}
    return numbers <= held and covered(statement, source) >= ENOUGH
