"""All signals of (claim, passage) pairs: words, numbers and polarity, and what a model of entailment makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handrail.models.batching import Batcher
from handrail.text.words import sentences, tokens
from handrail.verify.features import Window, best_window, coverage, signals, windows

DOUBTS = frozenset(
    """
    number_absent number_elsewhere number_misbound flips parity negation_added negation_lost opposites place_flip
    time_flip only_added only_lost all_added all_lost must_added must_lost sure_added maybe_lost maybe_added
    """.split()  # noqa: SIM905
)
"""Signals of which each may mean that one word turned the meaning round."""
CASES = frozenset(("if", "unless", "without", "when", "until"))
FEWEST_WORDS, TURNED = 4, 0.3
"""Words of a claim, and share of them that stand under another "not" than in the window, from which it denies it."""
ENTAILED = "entailed"
"""The signal that is the model's."""
REGION = 75
"""Words of a passage that are read beside a claim: as many as leave the claim room."""
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


def denied(claim: str, signals: Mapping[str, float]) -> bool:
    """Whether a claim is what the window says, turned round by a "not", and no case of it ("if you do not …")."""
    whole = signals.get("missing_here") == 0 and signals.get("claim_words", 0.0) >= FEWEST_WORDS
    turned = signals.get("parity", 0.0) > 0 and signals.get("flip_share", 0.0) >= TURNED
    return whole and turned and not CASES.intersection(word.lower for word in tokens(claim))


async def measure(pairs: Sequence[Pair], entails: Batcher[tuple[str, str], float]) -> list[Measured]:
    """In the order given; one call of the model for all pairs together. Raises RetryableError."""
    chosen = [chosen_window(pair) for pair in pairs]
    asked = [
        (pair.claim, around(pair.passage, window))
        for pair, window in zip(pairs, chosen, strict=True)
        if window is not None
    ]
    logits = iter(await entails.submit(asked)) if asked else iter(())
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


def words_shared(claim: str, passage: str) -> float:
    """Share of the claim's content words that the passage has in one place, numbers included."""
    window = chosen_window(Pair(claim, passage))
    return coverage(tokens(claim), window.tokens) if window is not None else 0.0


def around(passage: str, window: Window) -> str:
    """The window with as many whole sentences before and behind it as fit: exceptions stand beside the rule."""
    parts = sentences(passage)
    first, last = window.first, window.last
    room = REGION - len(passage[window.start : window.end].split())
    while True:
        sides = [at for at in (last + 1, first - 1) if 0 <= at < len(parts)]
        lengths = [len(passage[parts[at].start : parts[at].end].split()) for at in sides]
        fitting = [at for at, length in zip(sides, lengths, strict=True) if length <= room]
        if not fitting:
            return passage[parts[first].start : parts[last].end]
        at = fitting[0]
        room -= len(passage[parts[at].start : parts[at].end].split())
        first, last = min(first, at), max(last, at)


def _measured(pair: Pair, window: Window, logit: float) -> Measured:
    found = signals(pair.claim, pair.passage, pair.context, window)
    return Measured({ENTAILED: float(logit), **found}, window)
