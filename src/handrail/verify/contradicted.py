"""Whether what a person wrote afterwards contradicts an answer, by the signals and scores of claims."""

from __future__ import annotations

from handrail.models.batching import Batcher
from handrail.text.markdown import plain
from handrail.text.words import sentences
from handrail.types import Passage
from handrail.verify import Verifier
from handrail.verify.conflicts import in_conflict, sentences_with_figures
from handrail.verify.measure import Pair, denied, measure, words_shared

MOST = 30
"""Sentences of either text that are compared."""


async def contradicted(
    answer: str, reply: str, entails: Batcher[tuple[str, str], float], verifier: Verifier, *, least: float
) -> bool:
    """Something the one says is what the other says turned round by a "not", or is there with another figure.

    `least`: the score from which a sentence is what a text says. Raises RetryableError.
    """
    said, heard = plain(answer), plain(reply)
    pairs = [Pair(one, heard) for one in _sentences(said)] + [Pair(one, said) for one in _sentences(heard)]
    whole = [pair for pair in pairs if words_shared(pair.claim, pair.passage) == 1.0]
    found = await measure(whole, entails)
    if any(denied(pair.claim, one.signals) for pair, one in zip(whole, found, strict=True)):
        return True
    figures, others = (
        list(sentences_with_figures(_passage(*text)))[:MOST] for text in (("answer", said), ("reply", heard))
    )
    for one in figures:
        for other in others:
            if await in_conflict(one, other, verifier, least):
                return True
    return False


def _sentences(text: str) -> list[str]:
    return [text[part.start : part.end] for part in sentences(text)][:MOST]


def _passage(name: str, text: str) -> Passage:
    return Passage(id=f"{name}/0", article_id=name, position=0, title="", headings=(), text=text, url="", tokens=0)
