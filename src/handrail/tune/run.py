"""The whole of `handrail tune`: look for better weights and a query map on some articles, decide on others."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handrail.errors import KnowledgeError
from handrail.retrieve.tuned import WEIGHTS, Tuned
from handrail.settings import Settings
from handrail.tune import adapt
from handrail.tune.bench import Bench
from handrail.tune.clock import Clock, Say
from handrail.tune.questions import Asked, on, shuffled
from handrail.tune.score import Gain, Scores, gain, mean
from handrail.types import Vectors

GRID: Mapping[str, tuple[float, ...]] = {
    "dense_weight": (0.4, 0.55, 0.7, 0.8, 0.9, 1.0),
    "article_weight": (0.0, 0.25, 0.35, 0.45, 0.6),
    "article_keyword_weight": (0.2, 0.4, 0.55, 0.7, 0.85),
    "late_weight": (0.0, 0.15, 0.3, 0.45, 0.6),
}
FEWEST = 20
"""Held-out questions under which nothing can be decided."""

FEWEST_MADE = 120
"""Made questions that are asked even where a third of the time is not enough for them: each side then has its share."""

ENOUGH = 60
"""Questions of people that are worth halving."""
MADE, PEOPLE = "questions made of held-out articles", "questions of people"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Before and after on one set of questions."""

    on: str
    n: int
    articles: int
    before: dict[str, float]
    after: dict[str, float]
    gain: Gain


@dataclass(frozen=True, slots=True)
class Result:
    tuned: Tuned | None
    """What won on the articles it was chosen on; None where nothing did."""
    weights: dict[str, float]
    """Of `tuned`, all of them, defaults included."""
    verdicts: list[Verdict] = field(default_factory=list)
    """On made questions, on those of people where there are any, or on both: the last one decides."""
    made: int = 0
    """Questions made of the articles that there was time for."""

    @property
    def by_people(self) -> bool:
        """Made questions share their articles' words, and have praised what people's questions then lost by."""
        return bool(self.verdicts) and self.verdicts[-1].on == PEOPLE

    @property
    def won(self) -> bool:
        return self.tuned is not None and bool(self.verdicts) and self.verdicts[-1].gain.won

    def in_force(self, *, accept_made: bool) -> Tuned | None:
        """What won, where those decided who may; None where nothing changes."""
        return self.tuned if self.won and (self.by_people or accept_made) else None

    def as_json(self) -> dict[str, Any]:
        verdicts = [
            {
                "on": verdict.on,
                "n": verdict.n,
                "articles": verdict.articles,
                "before": verdict.before,
                "after": verdict.after,
                "gain_ndcg@10": [verdict.gain.low, verdict.gain.mean, verdict.gain.high],
            }
            for verdict in self.verdicts
        ]
        adapter = self.tuned is not None and self.tuned.adapter is not None
        return {
            "won": self.won,
            "decided_by_people": self.by_people,
            "questions": self.made,
            "weights": self.weights,
            "query_adapter": adapter,
            "verdicts": verdicts,
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    tuned: Tuned | None
    score: float


def tune(
    bench: Bench, settings: Settings, made: Sequence[Asked], human: Sequence[Asked], clock: Clock, say: Say
) -> Result:
    """The weights, and where it helps the query map, that rank best on some articles, judged on others.

    Raises KnowledgeError when there are too few articles to hold any out.

    Enough questions of people are halved by article: chosen on one half, decided on the other. The made ones then
    only teach the query map. Fewer decide alone, all of them.
    """
    halves = halved(human) if len(human) >= ENOUGH else []
    if not halves:
        made = _within(bench, made, clock, say)
    held_out, chosen_on = on(halves or made, "held_out"), on(halves or made, "choose")
    if len(held_out) < FEWEST or len(chosen_on) < FEWEST:
        raise KnowledgeError(
            f"{len(made)} questions could be made and run; at least {FEWEST} on held-out articles are needed: "
            "index more articles, or give it more --minutes"
        )
    where = [(PEOPLE, held_out)] if halves else [(MADE, held_out), *([(PEOPLE, human)] if human else [])]
    before = bench.untuned.over(settings.retrieval) if bench.untuned is not None else settings.retrieval
    start = {name: float(getattr(before, name)) for name in WEIGHTS}
    found = [Candidate(None, _mean(bench.rank(chosen_on, None, _always)))]
    found.append(_search(bench, chosen_on, start, None, clock, say))
    shift = _adapter(bench, on(made, "fit"), on(made, "choose"))
    if shift is not None:
        found.append(_search(bench, chosen_on, start, shift, clock, say))
    winner = max(found, key=lambda item: item.score).tuned
    if winner is None:
        return Result(None, start, [], len(made))
    verdicts = [_judge(bench, name, rows, winner, say) for name, rows in where]
    return Result(winner, {**start, **winner.weights}, verdicts, len(made))


def halved(human: Sequence[Asked]) -> list[Asked]:
    """Questions of one article stay together."""
    articles = sorted({row.articles[0] for row in human}, key=shuffled)
    half = {article: ("choose", "held_out")[number % 2] for number, article in enumerate(articles)}
    return [replace(row, side=half[row.articles[0]]) for row in human]


def _within(bench: Bench, made: Sequence[Asked], clock: Clock, say: Say) -> list[Asked]:
    """As many questions as can be run once in a third of the time, or few in two; the rest then costs little."""
    done, start = itertools.count(1), clock.left()

    def go_on() -> bool:
        asked = next(done)
        say("asking", asked, len(made))
        return clock.left() > start - (0.34 if asked >= FEWEST_MADE else 0.67)

    return list(made[: len(bench.rank(made, None, go_on))])


def _search(
    bench: Bench, rows: Sequence[Asked], start: Mapping[str, float], shift: Vectors | None, clock: Clock, say: Say
) -> Candidate:
    """One weight after the other, twice round; the first of equals stays, so noise alone moves nothing."""
    total = 2 * sum(len(values) for values in GRID.values())
    done = itertools.count(1)
    tried: dict[tuple[float, ...], float] = {}

    def reached(weights: Mapping[str, float]) -> float:
        key = tuple(weights.values())
        if key not in tried:
            tried[key] = _mean(bench.rank(rows, Tuned(weights, shift), _always))
        return tried[key]

    weights = dict(start)
    for name, value in itertools.chain(*([(n, v) for n in GRID for v in GRID[n]] for _ in range(2))):
        say("weighing with a query map" if shift is not None else "weighing", next(done), total)
        if clock.left() > 0.1 and reached({**weights, name: value}) > reached(weights) + 1e-9:
            weights = {**weights, name: value}
    changed = {name: value for name, value in weights.items() if value != start[name]}
    kept = {**(bench.untuned.weights if bench.untuned is not None else {}), **changed}
    return Candidate(Tuned(kept, shift) if changed or shift is not None else None, reached(weights))


def _adapter(bench: Bench, fitted: Sequence[Asked], checked: Sequence[Asked]) -> Vectors | None:
    """None where no map ranks the gold passages of unseen articles higher than none does."""
    if len(fitted) < FEWEST or len(checked) < FEWEST:
        return None
    vectors = bench.parts.snapshot.vectors.astype(np.float32)
    queries, unseen = bench.queries(fitted), bench.queries(checked)
    targets = vectors[_gold(bench, fitted, queries, vectors)]
    return adapt.best(queries, targets, unseen, _gold(bench, checked, unseen, vectors), vectors)


def _gold(bench: Bench, rows: Sequence[Asked], queries: Vectors, vectors: Vectors) -> list[int]:
    """The passage each question was made of; where that is not known, its article's nearest one."""
    place, of = {}, dict[str, list[int]]()
    for number, passage in enumerate(bench.parts.snapshot.passages):
        place[passage.id] = number
        of.setdefault(passage.article_id, []).append(number)
    found = []
    for row, query in zip(rows, queries, strict=True):
        own = of[row.articles[0]]
        found.append(place[row.passage] if row.passage else own[int((vectors[own] @ query).argmax())])
    return found


def _judge(bench: Bench, where: str, rows: Sequence[Asked], tuned: Tuned, say: Say) -> Verdict:
    done = itertools.count(1)

    def go_on() -> bool:
        say(f"deciding on {where}", next(done), 2 * len(rows))
        return True

    before, after = bench.rank(rows, None, go_on), bench.rank(rows, tuned, go_on)
    articles = [row.articles[0] for row in rows]
    return Verdict(where, len(rows), len(set(articles)), mean(before), mean(after), gain(before, after, articles))


def _mean(rows: Sequence[Scores]) -> float:
    return float(np.mean([row.ndcg for row in rows])) if rows else 0.0


def _always() -> bool:
    return True
