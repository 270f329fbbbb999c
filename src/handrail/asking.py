"""How a message asks: about whom, and how much it says."""

from __future__ import annotations

import re

from handrail.stores.tokens import coverage, tokenize

SHORT = 5
"""Content words up to which a question asks for nothing special, so that an article's beginning may answer it."""
OWN = re.compile(r"\b(?:me|my|mine|myself|i|we|us|our)\b", re.I)
_CUSTOMER = r"(?:customer|client|guest|visitor|buyer|patient|student|member|attendee)s?\b"
OTHERS = re.compile(rf"\b{_CUSTOMER}", re.I)
SOMEBODY = re.compile(rf"{OTHERS.pattern}|\b(?:they|them|their|she|her|he|him|his|some(?:one|body)|people)\b", re.I)
OF_ONE = re.compile(rf"\b(?:an?|the|your|my|our|some|another) (?:\w+ )?{_CUSTOMER}", re.I)
"""A heading that speaks of somebody: "A customer has forgotten a password. What now?"."""
MAY = re.compile(r"^(?:so )?(?:can|could|may) (?:i|we)\b|^(?:is it|would it be) possible\b", re.I)
"""Whether something may be done, rather than how."""
SAME_QUESTION = 0.7
"""Share of a heading's words that a question must have for the heading's yes or no to be an answer to it."""
YES_OR_NO = re.compile(r"^(?:can|could|may|do|does|did|is|are|will|would|has|have|must|should)\b", re.I)
HALF_THE_SAME = 0.5
"""The same for what stands below the heading at all, where both ask for a yes or no."""
QUESTION_MARKS = ("?", "؟")


def speaks_of_himself(text: str) -> bool:
    """Says "I" or "my", and names nobody else."""
    return OWN.search(text) is not None and not names_somebody(text)


def names_somebody(text: str) -> bool:
    """Whether it speaks of somebody else: "they paid in cash"."""
    return SOMEBODY.search(text) is not None


def asked_for_others(heading: str) -> bool:
    """Whether a heading is a question about one of the reader's customers."""
    return heading.endswith(QUESTION_MARKS) and OF_ONE.search(heading) is not None


def short(text: str) -> bool:
    return len(set(tokenize(text))) <= SHORT


def asks_the_same(heading: str, message: str) -> bool:
    """Whether a message has most of the words of a heading."""
    return coverage(heading, message, {}, 1.0) >= SAME_QUESTION


def asks_another(heading: str, message: str) -> bool:
    """Whether a heading and a message each ask for a yes or no, and not to the same question."""
    both = asks_yes_or_no(heading) and YES_OR_NO.match(message) is not None
    return both and coverage(heading, message, {}, 1.0) < HALF_THE_SAME


def asks_yes_or_no(heading: str) -> bool:
    """Whether a heading is a question that a yes or no answers."""
    return heading.endswith(QUESTION_MARKS) and YES_OR_NO.match(heading) is not None
