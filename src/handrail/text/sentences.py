"""A message cut into sentences, so that what asks for something can be told from what stands around it."""

from __future__ import annotations

import re
import textwrap
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


def pieces(text: str, most: int) -> list[str]:
    """Neighbouring sentences together, in at most `most` characters each; none where all of it is that short."""
    found: list[str] = []
    for sentence in ENDS.split(text) if len(text) > most else ():
        for part in textwrap.wrap(sentence, most):
            if found and len(found[-1]) + len(part) < most:
                found[-1] = f"{found[-1]} {part}"
            else:
                found.append(part)
    return found
