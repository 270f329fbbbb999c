"""How much of a search's result the cross-encoder should read: quality against milliseconds on one knowledge base."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from handrail.retrieve.tuned import Effort, Tuned
from handrail.settings import Models, Retrieval, Settings
from handrail.tune.bench import Bench
from handrail.tune.clock import Clock, Say
from handrail.tune.questions import Asked
from handrail.tune.score import Gain, Scores, gain, mean

DEPTHS = (3, 5, 7, 10)
SHARES = (0.45, 0.67, 1.0)
"""Of the words that the settings let it read of each passage; pairs at the full share are there for every depth."""
NONE = Effort(depth=0, words=10)
LOSS = 0.01
"""Of nDCG@10: less work is put in force where the interval of its loss ends before this."""
ALIKE = 0.0025
"""Of nDCG@10, where it is chosen: what counts as no worse."""
TIMED = 12
"""Questions whose pairs are timed."""


@dataclass(frozen=True, slots=True)
class Point:
    """One way to read, on the questions that decide."""

    effort: Effort
    milliseconds: float
    """Of the cross-encoder for a question, in the middle of some."""
    figures: dict[str, float]
    change: Gain
    """Of nDCG@10, from what the settings say."""


@dataclass(frozen=True, slots=True)
class Frontier:
    on: str
    n: int
    points: list[Point]
    """Cheapest first; the first one reads nothing."""
    now: Effort
    """What the settings say."""
    usable: frozenset[Effort]
    """What may be put in force; the others are there to compare."""
    chosen: Effort | None
    """What surely gains, or costs less and loses nothing; None where the settings stay."""

    def at(self, effort: Effort) -> Point:
        return next(point for point in self.points if point.effort == effort)

    def as_json(self) -> dict[str, Any]:
        points = [
            {
                "depth": point.effort.depth,
                "words": point.effort.words if point.effort.depth else 0,
                "ms": round(point.milliseconds, 1),
                **point.figures,
                "change_ndcg@10": [point.change.low, point.change.mean, point.change.high],
                "settings": point.effort == self.now,
                "usable": point.effort in self.usable,
                "chosen": point.effort == self.chosen,
            }
            for point in self.points
        ]
        return {"on": self.on, "n": self.n, "points": points}


def frontier(
    bench: Bench,
    settings: Settings,
    tuned: Tuned | None,
    chosen_on: Sequence[Asked],
    decided: tuple[str, Sequence[Asked]],
    clock: Clock,
    say: Say,
    *,
    gates_follow: bool = False,
) -> Frontier | None:
    """None where the operator's settings leave nothing to choose, or where there was no time for it.

    What is chosen on some questions has to hold on the others, on top of the weights of `tuned`. Gates and quotes read
    what the cross-encoder makes of the passages that are kept, so that fewer are not usable, and the gates know
    its scores of passages at full length, so that shorter ones are usable only where the gates are fitted anew.
    """
    if not free(settings):
        return None
    tuned = tuned or bench.untuned or Tuned({}, None)
    now = Effort(depth=settings.retrieval.rerank_depth, words=bench.parts.words_read(settings))
    ways = list(dict.fromkeys((now, NONE, *_ways(now))))
    where, held_out = decided
    done, total = itertools.count(1), len(ways) * (len(chosen_on) + len(held_out))

    def go_on() -> bool:
        say("reading more and less", next(done), total)
        return clock.left() > 0

    def ranked(rows: Sequence[Asked], effort: Effort) -> list[Scores]:
        return bench.rank(rows, replace(tuned, effort=effort), go_on)

    first = {way: ranked(chosen_on, way) for way in ways}
    found = {way: ranked(held_out, way) for way in ways}
    if not all(len(rows) == len(held_out) for rows in found.values()):
        return None
    articles = [row.articles[0] for row in held_out]
    points = [
        Point(
            way,
            bench.milliseconds(held_out[:TIMED], replace(tuned, effort=way)),
            mean(found[way]),
            gain(found[now], found[way], articles),
        )
        for way in sorted(ways, key=_work)
    ]
    usable = frozenset(
        way
        for way in ways
        if (way.depth >= settings.retrieval.top_k and (gates_follow or way.words == now.words)) or way == now
    )
    chosen = _choice(now, {way: mean(first[way])["ndcg@10"] for way in usable}, points)
    return Frontier(where, len(held_out), points, now, usable, chosen)


def free(settings: Settings) -> bool:
    """Whether it is left to Handrail how much is read; what an operator has set stays."""
    defaults, models = Retrieval(), Models()
    return (
        settings.retrieval.rerank_depth == defaults.rerank_depth
        and settings.models.rerank_max_tokens == models.rerank_max_tokens
        and settings.models.reranker != "none"
    )


def _ways(now: Effort) -> list[Effort]:
    return [
        Effort(depth=depth, words=max(10, round(now.words * share)))
        for depth in DEPTHS
        for share in SHARES
        if share == 1.0 or depth <= now.depth
    ]


def _work(effort: Effort) -> int:
    return effort.depth * effort.words


def _choice(now: Effort, where_chosen: dict[Effort, float], points: Sequence[Point]) -> Effort | None:
    """What is best and surely gains; else the least work that is as good. The held-out questions have to agree."""
    usable = [point for point in points if point.effort in where_chosen and point.effort != now]
    best = max(usable, key=lambda point: where_chosen[point.effort], default=None)
    if best is not None and where_chosen[best.effort] > where_chosen[now] + ALIKE and best.change.won:
        return best.effort
    alike = where_chosen[now] - ALIKE
    enough = (p for p in usable if _work(p.effort) < _work(now) and where_chosen[p.effort] >= alike)
    least = next(enough, None)
    return least.effort if least is not None and least.change.low > -LOSS else None
