"""When articles are quoted beside a serious matter: a passage that misses it makes an angry customer angrier."""

from __future__ import annotations

import re

from handrail.generate import Critic
from handrail.types import Draft, Evidence, Question

ABOUT_IT = 0.0
"""Cross-encoder logit from which a passage is about the message rather than only like it in words."""

OWN = re.compile(r"\b(?:me|my|mine|myself|i|we|us|our)\b", re.I)
OTHERS = re.compile(r"\b(?:customer|client|guest|visitor|buyer|patient|student|member|attendee)s?\b", re.I)

SOMEBODY = re.compile(rf"{OTHERS.pattern}|\b(?:they|them|their|she|her|he|him|his|some(?:one|body)|people)\b", re.I)


async def quotes_fit(critic: Critic | None, question: Question, draft: Draft, evidence: Evidence, sure: float) -> bool:
    """Whether what `draft` quotes surely fits: its best passage is about the message, and the critic gives it `sure`.

    What the articles say of the visitor's own customers is no answer to somebody who speaks of himself. Without a
    critic, or with nothing quoted, there is nothing to hold back.
    """
    if not draft.claims:
        return True
    if OWN.search(question.text) and not SOMEBODY.search(question.text) and _about_others(draft, evidence):
        return False
    if evidence.signals.get("rerank_top", ABOUT_IT) < ABOUT_IT:
        return False
    right = (await critic.critique(question, draft, evidence)).probability if critic else None
    return right is None or right >= sure


def _about_others(draft: Draft, evidence: Evidence) -> bool:
    cited = {id_ for claim in draft.claims for id_ in claim.passage_ids}
    above = [" ".join((hit.passage.title, *hit.passage.headings)) for hit in evidence.hits if hit.passage.id in cited]
    return bool(above) and all(OTHERS.search(words) for words in above)
