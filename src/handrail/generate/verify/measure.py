"""All signals of (claim, passage) pairs: words, numbers and polarity, and what the cross-encoder makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handrail.generate.verify.features import Window, best_window, coverage, signals, windows
from handrail.generate.verify.text import tokens
from handrail.local_models.batching import Batcher

DOUBTS = frozenset(
    """
    number_absent number_elsewhere number_misbound flips parity negation_added negation_lost opposites place_flip
    time_flip only_added only_lost all_added all_lost must_added must_lost sure_added maybe_lost
    """.split()  # noqa: SIM905
)
"""Signals of which each may mean that one word turned the meaning round."""
PAIRED = 3
"""Sentences of a passage that are also read two at a time: those that share most words with the claim."""


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


def doubtful(signals: Mapping[str, float]) -> bool:
    """Claim and window differ in a number, a negation, an extent, a duty or a place, for better or worse."""
    return any(signals.get(name, 0.0) > 0 for name in DOUBTS)


async def measure(pairs: Sequence[Pair], rerank: Batcher[tuple[str, str], float]) -> list[Measured]:
    """In the order given; one call of the cross-encoder for all pairs together. Raises RetryableError."""
    chosen = [chosen_window(pair) for pair in pairs]
    asked = [
        (pair.claim, pair.passage[window.start : window.end])
        for pair, window in zip(pairs, chosen, strict=True)
        if window is not None
    ]
    logits = iter(await rerank.submit(asked)) if asked else iter(())
    return [
        _measured(pair, window, next(logits)) if window is not None else Measured({}, None)
        for pair, window in zip(pairs, chosen, strict=True)
    ]


def chosen_window(pair: Pair) -> Window | None:
    """Where the passage speaks of what is claimed, by words alone."""
    found = windows(pair.passage)
    claim = tokens(pair.claim)
    singles = [window for window in found if window.first == window.last]
    kept = sorted(singles, key=lambda window: -coverage(claim, window.tokens))[:PAIRED]
    places = {window.first for window in kept}
    return best_window(claim, [window for window in found if window.first in places and window.last in places])


def _measured(pair: Pair, window: Window, logit: float) -> Measured:
    found = signals(pair.claim, pair.passage, pair.context, window)
    return Measured({"logit": float(logit), "stated": _stated(logit), **found}, window)


def _stated(score: float) -> float:
    """What the cross-encoder's states say of it, see `local_models.Logit`; 0, which says nothing, without them."""
    return float(getattr(score, "stated", None) or 0.0)
