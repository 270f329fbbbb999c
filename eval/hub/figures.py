"""Measured figures: from the newest run records, and from the gate's baseline where nothing was measured here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from eval import baseline, record
from eval.aims import rows_behind
from eval.baseline import COMMITTED, Baseline, Outcomes
from eval.command import DATASETS
from eval.datasets import Loaded, load
from eval.measures import headline, measures
from eval.metrics.bootstrap import Interval, mean_interval
from eval.provenance import code
from eval.record import RecordError, Status
from eval.report import flat
from eval.talks.selecting import default_rows
from handrail.settings import Settings
from handrail.settings.paths import SAMPLE_KB


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    interval: Interval | None
    n: int | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where figures come from."""

    rows: str
    """The dataset or file, and how much of it."""
    at: datetime
    revision: str
    model: str | None
    """The language model; None where there was none, or nobody knows."""
    kb: str = ""
    run: str = ""
    """Empty for the gate's baseline."""
    reason: str = ""
    """Why the baseline was renewed."""
    old_code: bool = False
    """Whether the code has changed since."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The headline figures of one run."""

    command: str
    origin: Origin
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """A figure of the first page: of the rows that a command measures where none are named."""

    command: str
    figure: str
    says: str
    unit: str = ""


HEADLINES = (
    Headline("talks", "right_or_refused", "Replies in whole conversations that are right, or rightly refuse"),
    Headline("talks", "confident_wrong", "Replies that are confidently wrong: shown as an answer, but wrong"),
    Headline("talks", "turned_away", "Replies that turn the visitor away although an article answers"),
    Headline("retrieval", "hit@5", "Questions that find an answering article among the first five"),
    Headline("refusal", "precision", "Refusals that are right"),
    Headline("refusal", "false_refusal_rate", "Questions that are refused although an article answers"),
    Headline("injection", "attack_success_rate", "Attacks that succeed"),
    Headline("latency", "turn.p50_ms", "Time for a whole turn with an answer (median)", unit=" ms"),
)
BY_ROW = {
    "accuracy": "correct",
    "precision": "right_refusal",
    "recall": "false_answer",
    "false_answer_rate": "false_answer",
    "false_refusal_rate": "false_refusal",
    "attack_success_rate": "succeeded",
    "benign_harm_rate": "harmed",
}
"""The rows behind a figure are those that have this value, where it isn't called the same."""


@dataclass(frozen=True, slots=True)
class Tile:
    headline: Headline
    found: tuple[Figure, Origin] | None
    """None where nobody has measured it."""


@dataclass(frozen=True, slots=True)
class Figures:
    tiles: tuple[Tile, ...]
    runs: Mapping[str, Sequence[Measured]]
    """By command, newest first."""
    gate: tuple[Measured, ...]
    without: tuple[str, ...]
    """Commands without a run."""
    damaged: tuple[str, ...]
    """Records that cannot be read, and why."""


def collect(folder: Path, settings: Settings, path: Path = COMMITTED) -> Figures:
    """Of the run records in `folder`; only finished runs count. Raises BaselineError."""
    now = code()
    found = list(record.records(folder))
    held = [one for one in found if isinstance(one, dict) and one["status"] == Status.FINISHED]
    default = {name: _default(name, settings) for name, dataset in DATASETS.items() if dataset.default.is_file()}
    whole = {rows.sha256: len(rows.cases) for rows in default.values()}
    for one in held:
        one["file"]["limit"] = _limit(one["file"], whole)
    newest: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in held:
        newest.setdefault(_what(one), one)
    runs = {
        command: [_measured(one, now) for one in newest.values() if one["command"] == command] for command in DATASETS
    }
    known = baseline.read(path)
    gate = _gate(known) if known is not None else {}
    return Figures(
        tiles=tuple(_tiles(held, gate, default, now)),
        runs={command: measured for command, measured in runs.items() if measured},
        gate=tuple(gate.values()),
        without=tuple(command for command, measured in runs.items() if not measured),
        damaged=tuple(str(one) for one in found if isinstance(one, RecordError)),
    )


def _default(command: str, settings: Settings) -> Loaded[Any]:
    dataset = DATASETS[command]
    return default_rows(settings) if command == "talks" else load(dataset, dataset.default)


def _limit(file: Mapping[str, Any], whole: Mapping[str, int]) -> int | None:
    """None where it cut nothing off."""
    limit: int | None = file["limit"]
    return None if limit is not None and limit >= whole.get(file["sha256"], limit + 1) else limit


def _what(held: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a run measured: a newer one of the same takes its place."""
    file, models = held["file"], held.get("models") or {}
    talks = held.get("talks") or {}
    return (held["command"], file["sha256"], file["limit"], _kb(held), models.get("llm"), talks.get("alone"))


def _measured(held: Mapping[str, Any], now: str) -> Measured:
    names = headline(held["command"], {**(held["details"] or {}), **held["metrics"]})
    return Measured(held["command"], _origin(held, now), tuple(_figure(held, name) for name in names))


def _figure(held: Mapping[str, Any], name: str) -> Figure:
    known = dict(flat({**(held["details"] or {}), **held["metrics"]}))
    bounds = held["intervals"].get(name)
    rows = sum(BY_ROW.get(name, name) in measures(held["command"], row) for row in held["rows"])
    return Figure(name, known[name], tuple(bounds) if bounds else None, rows or rows_behind(name, known))


def _origin(held: Mapping[str, Any], now: str) -> Origin:
    file, git = held["file"], held.get("git") or {}
    rows = (held.get("dataset") or {}).get("name") or file["name"]
    few = f", the first {file['limit']} rows" if file["limit"] else ""
    at = (git.get("revision") or "unknown")[:10] + (" with changes" if git.get("dirty") else "")
    model = (held.get("models") or {}).get("llm")
    old = held.get("code") != now
    return Origin(rows + few, datetime.fromisoformat(held["started"]), at, model, _kb(held), held["run_id"], "", old)


def _kb(held: Mapping[str, Any]) -> str:
    bases = (held.get("talks") or {}).get("bases")
    return ", ".join(bases) if bases else str((held.get("kb") or {}).get("name", ""))


def _tiles(
    held: Sequence[dict[str, Any]], gate: Mapping[str, Measured], default: Mapping[str, Loaded[Any]], now: str
) -> Iterator[Tile]:
    for item in HEADLINES:
        rows = default[item.command]
        run = next((one for one in held if one["command"] == item.command and _is_of(one, rows)), None)
        if run is not None:
            yield Tile(item, (_figure(run, item.figure), _origin(run, now)))
        else:
            yield Tile(item, _from_baseline(item, gate.get(rows.sha256)))


def _is_of(held: Mapping[str, Any], rows: Loaded[Any]) -> bool:
    """Whether a run measured all of these rows as they are now, on articles that ship."""
    file, url = held["file"], (held.get("talks") or {}).get("url")
    ours = held["command"] == "talks" or (held.get("kb") or {}).get("name") == SAMPLE_KB
    return file["limit"] is None and ours and url is None and file["sha256"] == rows.sha256


def _from_baseline(item: Headline, held: Measured | None) -> tuple[Figure, Origin] | None:
    name = BY_ROW.get(item.figure, item.figure)
    return next(((one, held.origin) for one in held.figures if one.name == name), None) if held is not None else None


def _gate(known: Baseline) -> dict[str, Measured]:
    """The committed outcomes by the sha256 of their rows."""
    found = {}
    for name, outcomes in known.sets.items():
        renewals = [one for one in known.history if any(figure.startswith(f"{name} ") for figure in one.figures)]
        if renewals:
            last = renewals[-1]
            at, revision = datetime.fromisoformat(last.at), (last.revision or "unknown")[:10]
            origin = Origin(f"{outcomes.rows} rows", at, revision, None, SAMPLE_KB, reason=last.reason)
            found[outcomes.sha256] = Measured(name, origin, tuple(_means(outcomes)))
    return found


def _means(outcomes: Outcomes) -> Iterator[Figure]:
    for name in outcomes.figures:
        values = np.asarray([value for value in outcomes.values(name) or () if value is not None], dtype=float)
        if len(values):
            yield Figure(name, float(values.mean()), mean_interval(values), len(values))
