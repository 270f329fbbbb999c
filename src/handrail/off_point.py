"""Whether quotations have what a follow-up adds: steps for a browser say nothing of "and on mobile?"; English."""

from __future__ import annotations

import re

from handrail.converse.dependence import content_words
from handrail.markdown import plain
from handrail.stores.tokens import tokenize
from handrail.types import Draft, Evidence, Question, Reading

MOST_ADDED = 3
"""Content words up to which a follow-up is about them."""
ONLY_WHY = re.compile(
    r"[.?!;:]\s+(?:(?:and|but|so|ok(?:ay)?)[\s,]+)?why(?: not| is (?:that|it|this)| tho(?:ugh)?)?\W*$", re.I
)
"""A follow-up behind what it is read with."""
ADDS = re.compile(
    r"[.?!;:]\s+(?:(?:and|but|or)\b|(?:what|how) about\b|(?:on|in|at|for|from|with|without|by|per)\b)"
    r"(?:[^.?!;:]|[.:](?=\w))*\W*$",
    re.I,
)
"""A follow-up that begins in the middle of a sentence, and so is about nothing but what it names."""
REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|reasons?|why|causes?|caused|due to|to (?:protect|prevent|avoid|keep)"
    r"|therefore|means|must|only)\b",
    re.I,
)
"""What a text says that gives a reason, or a condition that is one."""


def without_reason(reading: Reading, draft: Draft, evidence: Evidence) -> bool:
    """Whether a follow-up that only asks why is answered by quotations that give no reason."""
    asked = reading.kind == "follow_up" and ONLY_WHY.search(reading.text) is not None
    return asked and REASON.search(_said(draft, evidence)) is None


def says_added(question: Question, reading: Reading, draft: Draft, evidence: Evidence) -> bool:
    """Whether quotations have a word that a follow-up adds to what was asked before."""
    return bool(_added(question, reading) & set(tokenize(_said(draft, evidence))))


def off_point(question: Question, reading: Reading, draft: Draft, evidence: Evidence) -> bool:
    """Whether a follow-up is answered by quotations that have none of the words it adds.

    What it adds counts as it was written and as it was searched for.
    """
    if reading.kind != "follow_up" or not ADDS.search(reading.text):
        return False
    added = _added(question, reading)
    searched = set(tokenize(evidence.query)) - _asked(question)
    return 0 < len(added) <= MOST_ADDED and not (added | searched) & set(tokenize(_said(draft, evidence)))


def _added(question: Question, reading: Reading) -> set[str]:
    return set(tokenize(" ".join(content_words(reading.text)))) - _asked(question)


def _asked(question: Question) -> set[str]:
    return {term for past in question.history for term in tokenize(past.standalone)}


def _said(draft: Draft, evidence: Evidence) -> str:
    """The quotations, with the titles they stand under."""
    cited = {id_ for claim in draft.claims for id_ in claim.passage_ids}
    passages = [hit.passage for id_, hit in evidence.given.items() if id_ in cited]
    above = [" ".join((passage.title, *passage.headings)) for passage in passages]
    return plain("\n".join((*above, *(claim.text for claim in draft.claims))))
