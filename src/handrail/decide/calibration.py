"""What makes a model's probabilities hold for one knowledge base: one map per question, fitted to labelled rows.

A temperature sharpens or flattens a whole distribution; an isotonic map redraws the probability of a yes. Whichever
loses least in cross-validation is kept, and none where neither wins. A map holds for one model and one version of the
question, and is passed over for any other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from handrail.decide.questions import NO, YES, Decision, Probabilities
from handrail.errors import PermanentError, SettingsError

Floats = NDArray[np.float64]
Truth = NDArray[np.int64]
"""Index of the right option, by row."""

FEWEST = 200
"""Labelled rows of a question below which nothing is fitted."""
LEAST = 1e-4
"""No map says that something is impossible or certain."""
FOLDS = 5
WINS_BY = 0.002
"""Log loss, in nats a row, that a map has to save in cross-validation."""
COLDEST, HOTTEST = 0.05, 20.0
STEPS = 60
FILE = "decisions.json"


class Map(BaseModel):
    """Of one question, answered by one model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    decision: str
    version: int
    model: str
    kind: Literal["temperature", "isotonic"]
    temperature: float = 1.0
    given: tuple[float, ...] = ()
    """Probabilities of a yes as the model gave them, rising; of an isotonic map."""
    holds: tuple[float, ...] = ()
    """The share of yes at each of them; between them it is interpolated."""
    n: int
    loss_before: float
    loss_after: float
    """Log loss in nats a row, cross-validated."""

    def calibrated(self, found: Probabilities) -> dict[str, float]:
        if self.kind == "isotonic":
            yes = float(np.interp(found[YES], self.given, self.holds))
            return {YES: yes, NO: 1 - yes}
        scaled = _tempered(np.array([list(found.values())], dtype=np.float64), self.temperature)[0]
        return dict(zip(found, scaled.tolist(), strict=True))


class Maps:
    """All maps of a knowledge base."""

    def __init__(self, maps: Sequence[Map] = ()) -> None:
        self._maps = {(map_.decision, map_.version, map_.model): map_ for map_ in maps}

    def calibrated(self, decision: Decision, model: str, found: Probabilities) -> dict[str, float]:
        """`found` as it is where no map was fitted to this model and version."""
        map_ = self._maps.get((decision.name, decision.version, model))
        return dict(found) if map_ is None else map_.calibrated(found)

    def replaced(self, decision: Decision, model: str, map_: Map | None) -> Maps:
        """With the map of a question and model replaced, or taken away; maps of its older versions go."""
        kept = [old for key, old in self._maps.items() if (key[0], key[2]) != (decision.name, model)]
        return Maps([*kept, *([map_] if map_ is not None else [])])

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".part")
        scratch.write_text(json.dumps([map_.model_dump() for map_ in self._maps.values()], indent=1) + "\n", "utf-8")
        scratch.replace(path)


def load_maps(path: Path) -> Maps:
    """None fitted where there is no file. Raises SettingsError when it is not one of maps."""
    if not path.is_file():
        return Maps()
    try:
        return Maps([Map.model_validate(row) for row in json.loads(path.read_text(encoding="utf-8"))])
    except (OSError, ValueError, TypeError, ValidationError) as error:
        raise SettingsError(f"{path}: not maps of decisions: {error}") from None


class TooFewRows(PermanentError):
    """Not enough labelled rows to fit anything."""


def fit(
    decision: Decision, model: str, found: Sequence[Probabilities], labels: Sequence[str]
) -> tuple[Map | None, Map]:
    """The map to keep, None where none wins; and the best one tried, for its figures.

    `found` is what the model said of each row, uncalibrated. Raises TooFewRows.
    """
    if len(found) < FEWEST:
        raise TooFewRows(f"{decision.name}: {len(found)} labelled rows; {FEWEST} are needed to fit a map")
    options = list(decision.options)
    rows = np.array([[row[option] for option in options] for row in found], dtype=np.float64)
    truth = np.array([options.index(label) for label in labels])

    def temperature(some: Floats, right: Truth) -> Map:
        return _map(decision, model, len(right), temperature=_temperature(some, right))

    def isotonic(some: Floats, right: Truth) -> Map:
        given, holds = _isotonic(some[:, 0], (right == 0).astype(np.float64))
        return _map(decision, model, len(right), given=given, holds=holds)

    before, tried = _loss(rows, truth), []
    for fitted in (temperature, isotonic) if decision.kind == "yes_no" else (temperature,):
        after = _cross_validated(fitted, options, rows, truth)
        tried.append(fitted(rows, truth).model_copy(update={"loss_before": before, "loss_after": after}))
    best = min(tried, key=lambda map_: map_.loss_after)
    return (best if best.loss_after < before - WINS_BY else None), best


def _map(
    decision: Decision,
    model: str,
    n: int,
    *,
    temperature: float = 1.0,
    given: tuple[float, ...] = (),
    holds: tuple[float, ...] = (),
) -> Map:
    return Map(
        decision=decision.name, version=decision.version, model=model, kind="isotonic" if given else "temperature",
        temperature=temperature, given=given, holds=holds, n=n, loss_before=0.0, loss_after=0.0,
    )  # fmt: skip


def _cross_validated(
    fitted: Callable[[Floats, Truth], Map], options: Sequence[str], rows: Floats, truth: Truth
) -> float:
    """Mean log loss on rows that the map was not fitted to; every fifth row is a fold."""
    folds = np.arange(len(truth)) % FOLDS
    total = 0.0
    for fold in range(FOLDS):
        map_, held = fitted(rows[folds != fold], truth[folds != fold]), folds == fold
        said = [map_.calibrated(dict(zip(options, row.tolist(), strict=True))) for row in rows[held]]
        total += _loss(np.array([list(row.values()) for row in said]), truth[held]) * int(held.sum())
    return total / len(truth)


def _loss(rows: Floats, truth: Truth) -> float:
    right = rows[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(right, LEAST, 1.0)).mean())


def _tempered(rows: Floats, temperature: float) -> Floats:
    logits = np.log(np.clip(rows, LEAST, 1.0)) / temperature
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    scaled: Floats = exponents / exponents.sum(axis=1, keepdims=True)
    return scaled


def _temperature(rows: Floats, truth: Truth) -> float:
    """By golden section over its logarithm: the loss has one valley."""
    ratio = (5**0.5 - 1) / 2
    low, high = np.log(COLDEST), np.log(HOTTEST)

    def loss(at: float) -> float:
        return _loss(_tempered(rows, float(np.exp(at))), truth)

    for _ in range(STEPS):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if loss(left) < loss(right) else (left, high)
    return float(np.exp((low + high) / 2))


def _isotonic(given: Floats, yes: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Pool adjacent violators; each pool is drawn half a row towards doubt, so that none is certain."""
    at_each, place = np.unique(given, return_inverse=True)
    rows_at, yes_at = np.bincount(place), np.bincount(place, weights=yes)
    pools: list[list[float]] = []
    """Sum of yes, rows, lowest and highest probability given."""
    for at, count, total in zip(at_each.tolist(), rows_at.tolist(), yes_at.tolist(), strict=True):
        pools.append([total, count, at, at])
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            more, rows, _, highest = pools.pop()
            pools[-1] = [pools[-1][0] + more, pools[-1][1] + rows, pools[-1][2], highest]
    points: dict[float, float] = {}
    for total, rows, lowest, highest in pools:
        share = min(1 - LEAST, max(LEAST, (total + 0.5) / (rows + 1)))
        points[lowest] = points[highest] = share
    holds = np.maximum.accumulate(list(points.values()))
    return tuple(points), tuple(holds.tolist())


def _mean(pool: Sequence[float]) -> float:
    return pool[0] / pool[1]
