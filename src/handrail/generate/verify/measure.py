"""All signals of (claim, passage) pairs: words, numbers and polarity, and what the two local encoders make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handrail.generate.verify.features import Window, best_windows, coverage, signals, windows
from handrail.generate.verify.text import tokens
from handrail.local_models.batching import Batcher
from handrail.types import Vectors

EMBEDDED = 3
"""Sentences of a passage that are embedded for one claim: those that share most words with it."""
SCORED = 1
"""Windows the cross-encoder reads for one claim."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One sentence of a claim, and a passage it is said to rest on."""

    claim: str
    passage: str
    context: str = ""
    """The passage's title and headings."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of a pair and where its support would stand; no window when the passage has no words."""

    signals: dict[str, float]
    window: Window | None


async def measure(
    pairs: Sequence[Pair], embed: Batcher[str, Vectors], rerank: Batcher[tuple[str, str], float]
) -> list[Measured]:
    """In the order given; one call of each encoder for all pairs together. Raises RetryableError."""
    candidates = [_candidates(pair) for pair in pairs]
    texts = dict.fromkeys(pair.claim for pair in pairs)
    for pair, found in zip(pairs, candidates, strict=True):
        texts |= dict.fromkeys(pair.passage[w.start : w.end] for w in found if w.first == w.last)
    vectors = dict(zip(texts, await embed.submit(list(texts)), strict=True))
    chosen = [_choose(pair, found, vectors) for pair, found in zip(pairs, candidates, strict=True)]
    asked = [
        (pair.claim, pair.passage[window.start : window.end])
        for pair, best in zip(pairs, chosen, strict=True)
        for window, _ in best
    ]
    logits = iter(await rerank.submit(asked))
    return [
        _measured(pair, [(window, cosine, next(logits)) for window, cosine in best])
        for pair, best in zip(pairs, chosen, strict=True)
    ]


def _candidates(pair: Pair) -> list[Window]:
    """The single sentences worth a look, and the pairs made of two of them."""
    found = windows(pair.passage)
    claim = tokens(pair.claim)
    singles = [window for window in found if window.first == window.last]
    kept = sorted(singles, key=lambda window: -coverage(claim, window.tokens))[:EMBEDDED]
    places = {window.first for window in kept}
    return [window for window in found if window.first in places and window.last in places]


def _choose(pair: Pair, found: Sequence[Window], vectors: dict[str, Vectors]) -> list[tuple[Window, float]]:
    if not found:
        return []
    single = {w.first: vectors[pair.passage[w.start : w.end]] for w in found if w.first == w.last}
    cosines = [_cosine(vectors[pair.claim], single[w.first] + single[w.last]) for w in found]
    by_window = dict(zip(map(id, found), cosines, strict=True))
    best = best_windows(tokens(pair.claim), found, cosines, SCORED)
    return [(window, by_window[id(window)]) for window in best]


def _cosine(one: Vectors, other: Vectors) -> float:
    return float(one @ other / max(float(np.linalg.norm(other)), 1e-9))


def _measured(pair: Pair, scored: Sequence[tuple[Window, float, float]]) -> Measured:
    if not scored:
        return Measured({}, None)
    window, cosine, score = max(scored, key=lambda item: item[1] + item[2] / 20)
    found = signals(pair.claim, pair.passage, pair.context, window)
    logit = max(float(item[2]) for item in scored)
    return Measured({"cosine": cosine, "logit": logit, "stated": _stated(score), **found}, window)


def _stated(score: float) -> float:
    """What the cross-encoder's states say of it, see `local_models.Logit`; 0, which says nothing, without them."""
    return float(getattr(score, "stated", None) or 0.0)
