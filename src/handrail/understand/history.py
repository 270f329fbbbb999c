"""What a message takes over from the conversation before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from handrail.types import Exchange, Routing, Wordings

ALONE, TITLE, SAID_BY_PERSON = 0.6, 0.3, 0.6
"""Weights of further wordings: the message by itself, below the title under discussion, behind a person's words."""
LONGEST_PAST = 36
"""Words of the past put in front of a message; an encoder reads about 64 tokens of a query."""
LATELY = 2
"""Turns within which an answer is what a follow-up is about."""
DISCUSSED_FOR, MOST_DISCUSSED = 4, 4
"""Turns for which articles stay under discussion, and how many do."""
UNASKED = frozenset({Routing.NONSENSE, Routing.IRRELEVANT})


def asked_last(history: Sequence[Exchange]) -> Exchange | None:
    """The latest turn in which something was asked; one that was off topic only where there is no other."""
    asked = [past for past in history if past.question]
    on_topic = [past for past in asked if past.routing not in UNASKED]
    return next(reversed(on_topic or asked), None)


def discussed(history: Sequence[Exchange]) -> Exchange | None:
    """The latest turn that was answered from articles, if it is one of the latest."""
    return next((past for past in reversed(history[-LATELY:]) if past.article_ids), None)


def under_discussion(history: Sequence[Exchange]) -> tuple[str, ...]:
    """Articles that lately answered or looked closest, the latest first: the two likeliest of a turn."""
    latest = [article for past in reversed(history[-DISCUSSED_FOR:]) for article in past.article_ids[:2]]
    return tuple(dict.fromkeys(latest))[:MOST_DISCUSSED]


def carried(text: str, last: Exchange, history: Sequence[Exchange]) -> tuple[str, Wordings]:
    """The message behind the question before it, and how else to search for it."""
    beside = {text: ALONE}
    grounded = discussed(history)
    titles = grounded.titles[:1] if grounded is not None else ()
    beside |= {f"{title}: {text}": TITLE for title in titles}
    said = said_by_person(history)
    if said:
        beside[f"{_shortened(said)} {text}"] = SAID_BY_PERSON
    return f"{_shortened(last.standalone)} {text}", Wordings(beside, under_discussion(history))


def said_by_person(history: Sequence[Exchange]) -> str:
    """What a person wrote last, where nothing was said to the assistant since; empty otherwise."""
    with_person = takewhile(lambda past: past.with_person, reversed(history))
    return next((past.answer for past in with_person if past.by_person), "")


def _shortened(past: str) -> str:
    words = past.split()
    text = " ".join(words if len(words) <= LONGEST_PAST else [*words[:LONGEST_PAST]])
    return text if text[-1:] in ".?!;:" else f"{text}."
