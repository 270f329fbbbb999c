"""The cheap check of one claim against the passages it cites: microseconds, so that it may be shown at once."""

from __future__ import annotations

import re

from handrail.stores.tokens import tokenize
from handrail.text.markdown import plain
from handrail.types import Claim, Evidence

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
ITEM_NUMBER = re.compile(r"^\s*\d+[.)]\s")
LEAST_SHARED = 0.4
"""Share of a claim's words that its passages must hold; paraphrases share more than half, inventions under a third."""
FEWEST_WORDS = 4
"""Shorter claims are judged by their numbers alone."""


def plausible(claim: Claim, evidence: Evidence, *, words: bool = True) -> bool:
    """Whether the cited passages hold every number of the claim, and enough of its words.

    `words=False` for an answer in another language than its passages. It proves nothing: it only keeps the worst from
    being shown before the verification has looked.
    """
    cited = set(claim.passage_ids)
    passages = [hit.passage for hit in evidence.given.values() if hit.passage.id in cited]
    source = "\n".join(f"{passage.embedding_text}" for passage in passages)
    stated = NUMBER.findall(ITEM_NUMBER.sub("", claim.text))
    if not set(stated) <= set(NUMBER.findall(source)):
        return False
    said = set(tokenize(plain(claim.text)))
    if not words or len(said) < FEWEST_WORDS:
        return True
    return len(said & set(tokenize(source))) >= LEAST_SHARED * len(said)
