"""Messages that only say yes or no: an answer to something, never a question."""

from __future__ import annotations

import re

YES = re.compile(
    r"(?:yes|yep|yeah|yup|ya|sure|correct|exactly|right|ok(?:ay)?|please do|that's (?:it|right|the one)|that one|"
    r"ja|oui|s[ií]|sim|да)(?: (?:please|it is|exactly|that's it|that one|it does|thanks))?"
)
NO = re.compile(
    r"(?:no|nope|nah|not really|not quite|no it isn't|neither|none(?: of (?:them|these|those))?|nein|non|não|нет)"
    r"(?: (?:thanks|thank you|sorry|not really|it isn't|neither))?"
)


def bare(text: str) -> str:
    """Lower case, without punctuation around words."""
    return " ".join(re.findall(r"[\w'’-]+", text.casefold())).replace("’", "'")


def says_yes(text: str) -> bool:
    return YES.fullmatch(bare(text)) is not None


def says_no(text: str) -> bool:
    return NO.fullmatch(bare(text)) is not None
