"""Words of a question that only their own spelling finds: error codes, product numbers, names of settings in code."""

from __future__ import annotations

import re
from collections.abc import Collection

from handrail.stores.tokens import WORD, tokenize

CODE = re.compile(
    r"(?!\d+(?:st|nd|rd|th)$)(?:(?=\D*\d)(?=[\d_.'’-]*[^\W\d_])|\w[^_]*_\w|\d{2,}[1-9]$|[a-z]{2}\w*[A-Z]|(?:[A-Z][a-z]+){3})"
)
"""Letters and digits in one word, a name as programs spell them, or a number of three digits or more that is not round:
200 of something is a quantity, 429 a message."""
DENSE_WEIGHT = 0.3
"""Weight of dense search for questions that hold one: an encoder takes TW-3004 and TW-3007 for much the same."""


def exact_terms(query: str, vocabulary: Collection[str], language: str = "english") -> frozenset[str]:
    """Those of `query` that the articles hold, as keyword search spells them."""
    codes = (word for word in WORD.findall(query) if CODE.match(word))
    terms = (term for word in codes for term in tokenize(word, language)[:1])
    return frozenset(term for term in terms if term in vocabulary)
