"""A message cut into sentences, so that what asks for something can be told from what stands around it."""

from __future__ import annotations

import re
from itertools import pairwise

ENDS = re.compile(r"(?<=[.!?…])\s+|\n+")
MOST = 6
"""Parts a message is cut into; of more sentences, neighbours stay together."""


def parts(text: str) -> list[str]:
    """In order; none where the message is a single sentence."""
    found = [sentence for sentence in ENDS.split(text) if any(character.isalpha() for character in sentence)]
    if len(found) < 2:
        return []
    count = min(len(found), MOST)
    edges = [len(found) * n // count for n in range(count + 1)]
    return [" ".join(found[start:end]) for start, end in pairwise(edges)]
