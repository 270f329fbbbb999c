"""When articles are quoted beside a serious matter: a passage that misses it makes an angry customer angrier."""

from __future__ import annotations

from handrail.asking import OTHERS, speaks_of_himself
from handrail.generate import Critic
from handrail.rescue import says_what_to_do
from handrail.types import Draft, Evidence, Question

ABOUT_IT = 0.0
"""Cross-encoder logit from which a passage is about the message rather than only like it in words."""


async def quotes_fit(critic: Critic | None, question: Question, draft: Draft, evidence: Evidence, sure: float) -> bool:
    """Whether what `draft` quotes surely fits: its best passage is about the message, and the critic gives it `sure`.

    What to do in an emergency is not held back. What the articles say of the visitor's own customers is no answer to
    somebody who speaks of himself. Without a critic, or with nothing quoted, there is nothing to hold back.
    """
    if not draft.claims or says_what_to_do(draft.claims):
        return True
    if speaks_of_himself(question.text) and _about_others(draft, evidence):
        return False
    if evidence.signals.get("rerank_top", ABOUT_IT) < ABOUT_IT:
        return False
    right = (await critic.critique(question, draft, evidence)).probability if critic else None
    return right is None or right >= sure


def _about_others(draft: Draft, evidence: Evidence) -> bool:
    cited = {id_ for claim in draft.claims for id_ in claim.passage_ids}
    passages = [hit.passage for id_, hit in evidence.given.items() if id_ in cited]
    above = [" ".join((passage.title, *passage.headings)) for passage in passages]
    return bool(above) and all(OTHERS.search(words) for words in above)
