"""What a message wants done, and whether a heading says how to do that; English, as help articles head their steps."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from handrail.stores.tokens import tokenize

WAYS = (
    "add create new make set-up",
    "remove delete erase clear",
    "cancel stop end",
    "change edit update rename modify adjust replace switch",
    "send resend share invite",
    "export download",
    "import upload",
    "connect link integrate",
    "disconnect unlink",
    "turn-on switch-on enable activate",
    "turn-off switch-off disable deactivate",
    "move transfer",
    "reschedule move",
    "publish",
    "unpublish hide",
    "restore recover undo",
    "find see view check read show",
    "merge combine",
    "duplicate copy clone",
    "sort arrange order",
    "approve accept confirm",
    "reject decline",
    "pay",
    "refund",
    "print",
    "schedule plan",
)
"""Verbs that do much the same."""
WAY_OF = {
    verb: {number for number, way in enumerate(WAYS) if verb in way.split()} for way in WAYS for verb in way.split()
}
THINGS = (
    "booking appointment reservation",
    "customer client guest",
    "plan subscription membership",
    "picture photo image",
    "invoice bill",
    "parcel package",
    "website site",
)
"""Names that articles and visitors give to much the same."""
TWO_WORDS = re.compile(r"\b(set|turn|switch) (up|on|off)\b", re.I)
WANTED = re.compile(
    r"(?:\bhow (?:do|can|would|should|could) (?:i|we|you)|\bhow to|\b(?:can|could|may) (?:i|we)"
    r"|\b(?:wants?|like|needs?|trying|try|possible|have) to)\s+(?:also |just |still )?([a-z-]+)\b",
    re.I,
)
FIRST = re.compile(r"^(?:please |pls )?([a-z-]+)\b", re.I)
TROUBLE = re.compile(
    r"\b(?:cannot|can't|could not|fail(?:s|ed)?|errors?|problems?|missing|not working|declined|rejected|pending"
    r"|shows no|(?:does|do|did) not (?:work|load|arrive|open|appear|show|start|connect))\b",
    re.I,
)
OF_ONE = re.compile(r"['’]s\b")
UNABLE = re.compile(
    r"\b(?:cannot|can['’]?t|can not|could ?n['’]?t|could not|unable to) (?:even |now |longer )?([a-z]+)"
)
TROUBLED = re.compile(
    r"\b(?:not?|never|nothing|cannot|without|unable|why|fail\w*|errors?|problems?|issues?|trouble|missing|wrong|weird|stuck"
    r"|declined|rejected|refus\w+|bounce\w*|pending|broken?|lost|gone|disappear\w*|stopped|[a-z]{2,}-?\d+)\b"
    r"|\b(?:ca|could|do|does|did|wo|is|are|was)n['’]?t\b|\d{3,}",
    re.I,
)


def heads_deed(heading: str, message: str) -> bool:
    """Whether the heading names what the message wants done: "Add a language" for "how do I add a second language".

    Who cannot add one knows how.
    """
    wanted = "" if TROUBLED.search(message) else deed(message)
    words = _one_word_each(heading).split()
    return bool(wanted) and any(word == wanted or WAY_OF.get(word, set()) & WAY_OF[wanted] for word in words)


def heads_deed_to(title: str, message: str) -> bool:
    """Whether the title says what is wanted and of what: "Reschedule a booking" for "she wants to move her booking"."""
    moves = "reschedule" in title.lower() and deed(message) == "change" and TROUBLED.search(message) is None
    if not (moves or heads_deed(title, message)):
        return False
    things = set(tokenize(OF_ONE.sub("", title))) - _verbs()
    return bool(things) and things <= {one for term in tokenize(message) for one in _same_as(term)}


def heads_trouble(heading: str, message: str) -> bool:
    """Whether the heading is about what does not work, and the message about nothing of the kind."""
    return TROUBLE.search(heading) is not None and TROUBLED.search(message) is None


def heads_same_trouble(title: str, message: str) -> bool:
    """Whether the title is about what the message says cannot be done: "If you cannot pay" for "I can't pay"."""
    undone = set(UNABLE.findall(message.lower()))
    return bool(undone & set(UNABLE.findall(title.lower())))


@lru_cache(maxsize=256)
def deed(message: str) -> str:
    """The verb of what is wanted, as in `WAYS`; empty where there is none."""
    text = _one_word_each(message)
    asked = [found[1] for found in WANTED.finditer(text)]
    wanted = asked[-1] if asked else (first[1] if (first := FIRST.match(text)) else "")
    return wanted if wanted in WAY_OF else ""


@cache
def _verbs() -> frozenset[str]:
    return frozenset(tokenize(f"how {' '.join(WAYS)}"))


@lru_cache(maxsize=256)
def _same_as(term: str) -> frozenset[str]:
    """The term itself, and what else its thing is called."""
    kinds = [tokenize(kind) for kind in THINGS]
    return frozenset((term, *(other for kind in kinds if term in kind for other in kind)))


def _one_word_each(text: str) -> str:
    return TWO_WORDS.sub(r"\1-\2", text).lower()
