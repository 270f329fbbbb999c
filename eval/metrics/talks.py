"""Shares of verdicts over the turns of talks; turns of one talk belong together, so talks are what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.metrics.bootstrap import Interval, interval
from eval.talks.verdict import GOOD, Verdict


@dataclass(frozen=True, slots=True)
class Rated:
    """One turn."""

    verdict: Verdict
    missed_serious: bool = False
    alone: Verdict | None = None
    """The same message in a conversation of its own; None where it was not asked so."""


Talk = Sequence[Rated]
"""In the order they were said."""

SHARES: dict[str, Callable[[Rated], bool]] = {
    "right": lambda turn: turn.verdict is Verdict.RIGHT,
    "partly": lambda turn: turn.verdict is Verdict.PARTLY,
    "wrong": lambda turn: turn.verdict is Verdict.WRONG,
    "confident_wrong": lambda turn: turn.verdict is Verdict.CONFIDENT_WRONG,
    "turned_away": lambda turn: turn.verdict is Verdict.TURNED_AWAY,
    "right_refusal": lambda turn: turn.verdict is Verdict.RIGHT_REFUSAL,
    "missed_serious": lambda turn: turn.missed_serious,
    "right_or_refused": lambda turn: turn.verdict in GOOD,
}


def score(talks: Sequence[Talk]) -> dict[str, Any]:
    """Shares of turns, and `served`, the share of talks every turn of which is right or rightly refused."""
    found = _shares(talks)
    found["ci"] = {name: list(bounds) for name, bounds in intervals(talks).items() if bounds is not None}
    return found


def later(talks: Sequence[Talk]) -> dict[str, Any]:
    """The same of turns after the first, which may need what was said before."""
    rest = [talk[1:] for talk in talks if len(talk) > 1]
    found = score(rest)
    for mapping in (found, found["ci"]):
        mapping.pop("served", None)
    return found


def against_alone(talks: Sequence[Talk]) -> dict[str, Any] | None:
    """Right or rightly refused among later turns, in their talk minus alone; None where nothing was asked alone."""
    pairs = [
        [(turn.verdict in GOOD, turn.alone in GOOD) for turn in talk[1:] if turn.alone is not None] for talk in talks
    ]
    pairs = [pair for pair in pairs if pair]
    if not pairs:
        return None
    together, alone, sizes = (
        np.asarray(column, dtype=float)
        for column in zip(*((sum(a for a, _ in p), sum(b for _, b in p), len(p)) for p in pairs), strict=True)
    )
    bounds = interval(len(pairs), lambda draw: float((together[draw] - alone[draw]).sum() / sizes[draw].sum()))
    return {
        "n_turns": int(sizes.sum()),
        "in_talk": float(together.sum() / sizes.sum()),
        "alone": float(alone.sum() / sizes.sum()),
        "difference": float((together - alone).sum() / sizes.sum()),
        "ci": None if bounds is None else list(bounds),
        "gained": sum(a and not b for pair in pairs for a, b in pair),
        "lost": sum(b and not a for pair in pairs for a, b in pair),
    }


def intervals(talks: Sequence[Talk]) -> dict[str, Interval | None]:
    """95 %, by name; whole talks are drawn with replacement."""
    sizes = np.asarray([len(talk) for talk in talks], dtype=float)

    def of(held: Callable[[Rated], bool]) -> Interval | None:
        counts = np.asarray([sum(map(held, talk)) for talk in talks], dtype=float)
        return interval(len(talks), lambda draw: float(counts[draw].sum() / sizes[draw].sum()))

    found = {name: of(held) for name, held in SHARES.items()}
    served = np.asarray([_served(talk) for talk in talks], dtype=float)
    found["served"] = interval(len(talks), lambda draw: float(served[draw].mean()))
    return found


def _shares(talks: Sequence[Talk]) -> dict[str, Any]:
    turns = [turn for talk in talks for turn in talk]
    shares = {name: _share([held(turn) for turn in turns]) for name, held in SHARES.items()}
    return {
        "n_turns": len(turns),
        "n_talks": len(talks),
        **shares,
        "served": _share([_served(talk) for talk in talks]),
    }


def _served(talk: Talk) -> bool:
    return all(turn.verdict in GOOD for turn in talk)


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
