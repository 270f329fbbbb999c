"""Messages that ask more than one thing: where each question ends, by wording alone, in English.

Conservative on purpose: what is split by mistake is answered worse, what is not is answered as before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from handrail.converse.dependence import content_words

MOST = 3
LONGEST = 40
"""Words of one question; more is a story, which is read as a whole."""
ASKS = (
    r"(?:how (?:is|are|do|does|did|can|could|to|much|many|long|often|soon|old|far|would|should|will|about)"
    r"|(?:what|when|where|why|which|who)(?! (?:i|you|we|they|he|she|it|the|my|our|your|an?)\b)|what'?s|where'?s|who'?s"
    r"|can|could|do|does|did|is|are|will|would|should|may)\b(?!['’])"
)
"""How a question begins; "when they paid" is no question of its own."""
SENTENCE = re.compile(
    rf"(?<=[?!])\s+|(?<=\.)\s+(?=[A-Z]|also\b|and\b|{ASKS})|\n+|;\s+|\s+(?=[2-9][.)]\s)", re.IGNORECASE
)
LEAD = re.compile(
    r"^(?:(?:and|also|but|plus|oh|ok(?:ay)?|so|then|btw|by the way|next|first(?:ly| of all)?|second(?:ly)?|third(?:ly)?"
    r"|finally|lastly|please|hi|hello|hey|(?:two|three|2|3|a few|a couple of) (?:\w+ )?(?:things|questions)"
    r"|(?:another|one more) (?:thing|question)|\d[.):])(?!\w)[\s,:.!–-]*)+",
    re.IGNORECASE,
)
TELL = re.compile(
    r"^(?:(?:please )?(?:tell me|let me know|explain)|i(?:'d| would)? (?:also )?(?:like|want|need) to know)\s+",
    re.IGNORECASE,
)
ASKING = re.compile(ASKS, re.IGNORECASE)
JOINT = re.compile(
    rf"\s*[,–-]?\s+(?:and|but|plus|also)\s+(?:also\s+|then\s+|please\s+|second(?:ly)?\s+)?(?={ASKS})|"
    rf",\s+(?:also|and|plus),?\s+(?={ASKS})",
    re.IGNORECASE,
)
BELONGS = re.compile(
    r"\bif (?:not|so|yes|no)\s*$|\b(?:know|see|tell|show|say|explain|decide|choose|check|understand|remember|if|about"
    r"|on|of|for|to|with|in|at|by)\s*$",
    re.IGNORECASE,
)
"""What stands in front of a question that is a part of its own: "tell me where and how", "and if not, where"."""
COORDINATED = re.compile(
    r"\s*[,;–—]\s+(?:(?:and|but|also|plus|then|und|aber|et|mais|y|pero|e|mas|ma|en|maar|i|ale|и|а|но)\s+)?"
    r"|\s+(?:and|but|plus|und|aber|et|mais|y|pero|e|mas|ma|en|maar|ale|и|но)\s+",
    re.IGNORECASE,
)
"""Where clauses are joined, in the languages that messages are mostly in."""
MOST_PIECES = 8
RHETORICAL = re.compile(r"(?:\?!|!\?)[?!]*$")
FEWEST_WORDS = 3
"""Words of a question of its own, one of them a content word."""


def questions_of(text: str) -> Sequence[str]:
    """Up to three questions, in order; empty where there is one, or more than three."""
    found: list[str] = []
    story = ""
    for sentence in (part.strip() for part in SENTENCE.split(text)):
        asked = _clauses(sentence) if _asks(sentence) else []
        if asked:
            found += [f"{story} {asked[0]}".strip(), *asked[1:]]
            story = ""
        elif found:
            found[-1] = f"{found[-1]} {sentence}".strip()
        else:
            story = f"{story} {sentence}".strip()
    whole = 1 < len(found) <= MOST and all(_stands(part) for part in found)
    return tuple(_tidy(part) for part in found) if whole else ()


def pieces_of(text: str) -> Sequence[str]:
    """Sentences and the clauses that a comma or conjunction joins, in order; empty where there is one, or very many.

    Where a message might be cut, and no more: what the pieces are is for a classifier to say.
    """
    found: list[str] = []
    for sentence in (part.strip() for part in SENTENCE.split(text)):
        begin = 0
        for joint in COORDINATED.finditer(sentence):
            if _says_enough(sentence[begin : joint.start()]) and _says_enough(sentence[joint.end() :]):
                found.append(sentence[begin : joint.start()])
                begin = joint.end()
        found += [sentence[begin:]] if begin < len(sentence) else []
    return tuple(_tidy(part) for part in found) if 1 < len(found) <= MOST_PIECES else ()


def _says_enough(part: str) -> bool:
    return len(part.split()) >= FEWEST_WORDS and bool(content_words(LEAD.sub("", part)))


def asks(text: str) -> bool:
    """Whether it is worded as a question."""
    return _asks(text)


def _asks(sentence: str) -> bool:
    return bool(ASKING.match(TELL.sub("", LEAD.sub("", sentence)))) and not RHETORICAL.search(sentence)


def _clauses(sentence: str) -> list[str]:
    """A sentence cut where a further question begins, each piece a question by its own words."""
    pieces = [sentence]
    for joint in JOINT.finditer(sentence):
        done = len(sentence) - len(pieces[-1])
        left, right = sentence[done : joint.start()], sentence[joint.end() :]
        if _asks(left) and _stands(left) and _stands(right) and not BELONGS.search(left):
            pieces[-1:] = [left, right]
    return pieces


def _stands(part: str) -> bool:
    """Whether it says enough to be looked up."""
    size = len(part.split())
    return FEWEST_WORDS <= size <= LONGEST and bool(content_words(LEAD.sub("", part)))


def _tidy(part: str) -> str:
    text = LEAD.sub("", part).strip(" ,;–-")
    return text[:1].upper() + text[1:]
