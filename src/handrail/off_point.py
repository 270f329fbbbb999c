"""Follow-ups whose answer says nothing of what they add: quoted steps for a browser after "and on mobile?"; English."""

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
    r"\b(?:because|since|so that|otherwise|reasons?|why|causes?|caused|due to|to (?:protect|prevent|avoid|keep)|if|when"
    r"|therefore|means|need(?:s|ed)?|must|only)\b",
    re.I,
)
"""What a text says that gives a reason, or a condition."""


def off_point(question: Question, reading: Reading, draft: Draft, evidence: Evidence) -> bool:
    """Whether a follow-up is answered by quotations that have none of the words it adds, or no reason when it asks why.

    What it adds counts as it was written and as it was searched for.
    """
    if reading.kind != "follow_up":
        return False
    cited = {id_ for claim in draft.claims for id_ in claim.passage_ids}
    above = [" ".join((hit.passage.title, *hit.passage.headings)) for hit in evidence.hits if hit.passage.id in cited]
    said = plain("\n".join((*above, *(claim.text for claim in draft.claims))))
    if ONLY_WHY.search(reading.text):
        return REASON.search(said) is None
    if not ADDS.search(reading.text):
        return False
    before = {term for past in question.history for term in tokenize(past.standalone)}
    added = set(tokenize(" ".join(content_words(reading.text)))) - before
    searched = set(tokenize(evidence.query)) - before
    return 0 < len(added) <= MOST_ADDED and not (added | searched) & set(tokenize(said))
