"""Where a message may be cut into requests: at the ends of sentences and clauses. What the parts are, models say."""

from __future__ import annotations

import re
from collections.abc import Sequence

ENDS = re.compile(r"(?<=[.!?…])(?<!\d\.)\s+|\n+|;\s+|\s+(?=[2-9][.)]\s)")
COORDINATED = re.compile(
    r"\s*[,;–—]\s+(?:(?:and|but|also|plus|then|und|aber|et|mais|y|pero|e|mas|ma|en|maar|i|ale|и|а|но)\s+)?"
    r"|\s+(?:and|but|plus|und|aber|et|mais|y|pero|e|mas|ma|en|maar|ale|и|но)\s+",
    re.IGNORECASE,
)
"""Where clauses are joined, in the languages that messages are mostly in."""
MOST = 8
LEAST_WORDS = 3


def pieces(text: str) -> Sequence[str]:
    """Sentences and joined clauses in order, each of a few words at least; the whole alone where there is one, or very
    many. Together they are the message."""
    found: list[str] = []
    for sentence in (part.strip() for part in ENDS.split(text)):
        begin = 0
        for joint in COORDINATED.finditer(sentence):
            if _enough(sentence[begin : joint.start()]) and _enough(sentence[joint.end() :]):
                found.append(sentence[begin : joint.start()])
                begin = joint.end()
        if sentence[begin:]:
            found.append(sentence[begin:])
    return found if 1 < len(found) <= MOST else [text]


def joined(parts: Sequence[str]) -> str:
    return " ".join(part if part[-1:] in ".?!…" else f"{part}." for part in (one.strip(" ,;") for one in parts) if part)


def _enough(part: str) -> bool:
    return len(part.split()) >= LEAST_WORDS
