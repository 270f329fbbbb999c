"""How likely a message cannot be understood without the one before it: a small logistic regression."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from handrail.converse import cues
from handrail.stores.tokens import STOP, words

CLAUSE = re.compile(
    r"^(?:how (?:do|does|did|can|could|to|should|would|am|is|are)|can|could|may|where (?:do|does|can|is|are|should)|"
    r"what (?:is|are|does|do|should|kind|happens (?:if|when))|what's|which|why (?:is|are|do|does|did|can|was|has|have)|"
    r"is|are|do|does|will|should|i(?:'m|'d|'ve)?|we|my|our|there|the|a|an|tell|explain|help|please|need|want|"
    r"who|when (?:do|does|is|are|will)|\w+ing)\s+\w+",
    re.IGNORECASE,
)
"""A message that begins like a sentence of its own."""


def features(text: str, last: str, topic: Mapping[str, float], likeness: float) -> dict[str, float]:
    """What the decision rests on.

    `topic` holds the message's own probe features, `likeness` its cosine with `last`, the question before it.
    """
    stripped = cues.lead_removed(text)
    aside = cues.ASIDE.match(stripped)
    if aside:
        stripped = stripped[aside.end() :] or stripped
    content = content_words(stripped)
    back = cues.points_back(stripped)
    earlier = set(content_words(last))
    return {
        "few_words": max(0.0, 5.0 - len(content)) / 5.0,
        "no_content": float(len(content) <= 1),
        "long": float(len(content) >= 7),
        "opener": float(bool(cues.OPENER.match(stripped))),
        "asks_alone": float(bool(cues.ASKS_ALONE.match(stripped))),
        "points_back": float(min(back, 2)) / 2.0,
        "points_back_only": float(back > 0 and len(content) <= 3),
        "example": float(bool(cues.EXAMPLE.search(stripped))),
        "correction": float(bool(cues.CORRECTION.search(stripped))),
        "aside": float(bool(aside)),
        "clause": float(bool(CLAUSE.match(stripped))),
        "complete": float(bool(CLAUSE.match(stripped)) and not back and len(content) >= 2),
        "fragment": float(not CLAUSE.match(stripped) and len(content) <= 3),
        "likeness": likeness,
        "own_top": topic.get("passage_top", 0.0),
        "known": topic.get("known", 0.0),
        "new_terms": len(set(content) - earlier) / max(1, len(content)),
    }


FEWEST_WORDS = 4
"""Words under which a message may be a fragment of what was said before."""


def self_contained(text: str) -> bool:
    """Whether the wording points to nothing before it and is long enough to be more than a fragment."""
    stripped = cues.lead_removed(text)
    patterns = (cues.OPENER.match, cues.ASKS_ALONE.match, cues.EXAMPLE.search, cues.CORRECTION.search)
    leans = cues.points_back(stripped) or any(pattern(stripped) for pattern in patterns)
    return not leans and len(stripped.split()) >= FEWEST_WORDS


NAMED_FROM = 0.66
"""Cosine of the nearest passage from which the articles know what a message names."""


def stands_alone(values: Mapping[str, float]) -> bool:
    """A whole question about something new that the articles know, such as "How do I set up a waitlist?".

    One content word is little to a regression that has mostly seen fragments of that length.
    """
    leans = any(values[name] for name in ("points_back", "opener", "asks_alone", "example", "correction"))
    return bool(values["clause"]) and not leans and values["new_terms"] == 1.0 and values["own_top"] >= NAMED_FROM


def content_words(text: str) -> list[str]:
    """Lower-case words that say what a message is about."""
    return [word for word in words(text) if word not in STOP and word not in HOLLOW and len(word) > 1]


HOLLOW_WORDS = """
    about after again also always another any anything around because before best bit both cannot cant come could did
    do doing done dont each either else even ever every exactly example few find first for get gets getting give
    go going good got happen happened happens hello help here hi instead just know last least less let like long look
    lot make makes many maybe mean meant more most much must need needs never next no nothing now off ok okay old once
    one ones only other others out over please possible put question quite really right same say says see seem set
    should show so some someone something sometimes soon still such sure take tell thank thanks that then thing things
    think this though time tho too try turn up us use used using usually very want wants way ways well what when where
    which while who whole why work working works would wrong yes yet you my mine im ive it's its me
"""
HOLLOW = frozenset(HOLLOW_WORDS.split())
"""Words that carry no topic of their own."""


def probability(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    total = weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
