"""Names of people that a question tells in passing: "my client Anna Berg from Hamburg wants to move her appointment".

No article knows her, so to a search, and to gates that look for what the articles do not say, she is a word in the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable

PERSON = (
    r"(?:customer|client|guest|visitor|buyer|patient|student|pupil|learner|member|attendee|tenant|subscriber|supplier"
    r"|colleague|co-?worker|boss|assistant|employee|receptionist|trainer|teacher|partner|accountant|friend|neighbou?r"
    r"|wife|husband|mother|mum|mom|father|dad|sister|brother|daughter|son|aunt|uncle|cousin|niece|nephew"
    r"|Kund(?:e|in)|Gast|Patient(?:in)?|Kolleg(?:e|in)|cliente|paciente|colega|h[oô]te|coll[eè]gue)"
)
NAME = r"(?-i:[A-ZÄÖÜÉÁÓŁŠČ][\w'’-]*[a-zà-ÿĀ-ſ])\b"
TOLD = re.compile(
    rf"\b(?P<who>(?-i:{PERSON}))(?:,)?(?:\s+(?:called|named|namens))?\s+"
    rf"(?P<name>(?:(?:Mrs?|Ms|Dr|Herr|Frau)\.?\s+)?{NAME}(?:\s+{NAME}){{0,2}})(?P<place>\s+(?:from|in|of|aus)\s+{NAME})?",
    re.IGNORECASE,
)
"""The word for a person in small letters: a "Client Portal" is a thing."""


def without_names(question: str, known: Callable[[str], bool]) -> str:
    """The question less names behind a word for a person, and where that person is from.

    `known` tells whether the articles have a word: "client Portal" stays where there is a portal.
    """

    def told(match: re.Match[str]) -> str:
        if any(known(word) for word in re.findall(NAME, match["name"])):
            return match[0]
        place = match["place"] or ""
        return match["who"] + (place if any(known(word) for word in re.findall(NAME, place)) else "")

    return TOLD.sub(told, question)
