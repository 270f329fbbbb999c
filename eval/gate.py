"""The gate: small fixed sets against committed outcomes, row by row; it fails where chance does not explain a loss."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from rich.console import Console

from eval import baseline, command
from eval.baseline import Baseline, BaselineError, Outcomes, Renewal
from eval.benchmark import apart
from eval.declared import Strict, declared
from eval.measures import measures, sign
from eval.metrics.paired import binary, worse
from eval.provenance import revision
from eval.record import Run
from eval.selection import Source
from eval.texts import texts
from handrail.cli.ingest import run as ingest
from handrail.cli.ingest import sample_folder
from handrail.errors import PermanentError
from handrail.knowledge.folder import Folder
from handrail.settings import Settings

GATES = command.HERE / "gates.toml"
BASELINE = baseline.COMMITTED


class GateError(PermanentError):
    """`gates.toml` is wrong; the message says where."""


class Limits(Strict):
    tolerance: float = Field(0.0, ge=0)
    """Losses up to this never fail."""
    worst: float | None = None
    """A value that fails whatever the baseline was."""


class Set(Strict):
    name: str
    command: str
    file: Path
    rows: Annotated[int, Field(ge=1)]
    figures: dict[str, Limits]


class Gates(Strict):
    alpha: float = Field(0.05, gt=0, lt=1)
    set: list[Set]


@dataclass(frozen=True, slots=True)
class Check:
    """One figure of one set."""

    set: str
    figure: str
    n: int
    before: float | None
    now: float
    difference: float | None
    """Now minus before, over the rows both scored."""
    p: float | None
    """One-sided: how often chance alone would lose as much."""
    worst: float | None
    verdict: str
    """`ok`, `better`, `worse`, `beyond worst` or `no baseline`."""

    @property
    def failed(self) -> bool:
        return self.verdict not in ("ok", "better")


@dataclass(slots=True)
class Held:
    """What came out of one gate run."""

    checks: list[Check] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lost: dict[str, list[str]] = field(default_factory=dict)
    """By set and figure, where it failed: the rows that got worse."""
    runs: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def failed(self) -> bool:
        return bool(self.problems) or any(check.failed for check in self.checks)


@dataclass(frozen=True, slots=True)
class Options:
    gates: Path = GATES
    baseline: Path = BASELINE
    runs: Path | None = None
    articles: Path = field(default_factory=sample_folder)
    index: Path | None = None
    """A data folder to begin with; it is copied, and what differs from the articles is embedded."""
    only: str | None = None
    reason: str | None = None
    """Renew the baseline for this reason instead of comparing."""


def load_gates(path: Path, only: str | None = None) -> Gates:
    """Raises GateError naming what is wrong."""
    gates = declared(path, Gates, GateError)
    unknown = [item.name for item in gates.set if item.command not in command.DATASETS]
    if unknown:
        raise GateError(f"{path}: {unknown[0]} names no command; there are: {', '.join(command.DATASETS)}")
    chosen = [item for item in gates.set if only in (None, item.name)]
    if not chosen:
        raise GateError(f"{path} has no set {only!r}; there are: {', '.join(item.name for item in gates.set)}")
    return gates.model_copy(update={"set": chosen})


def measure(gates: Gates, settings: Settings, options: Options, notes: Console) -> dict[str, Run]:
    """Every set over `options.articles`, indexed in a temporary folder; stops early at Ctrl+C."""
    done: dict[str, Run] = {}
    with tempfile.TemporaryDirectory(prefix="handrail-gate-", ignore_cleanup_errors=True) as scratch:
        if options.index is not None:
            shutil.copytree(options.index, scratch, dirs_exist_ok=True)
        settings = apart(settings, Path(scratch))
        knowledge = settings.knowledge
        ingest(settings, [Folder(options.articles, knowledge.url_base, knowledge.max_article_bytes)])
        for item in gates.set:
            rows = command.Options(Source(file=options.gates.parent / item.file), limit=item.rows, runs=options.runs)
            done[item.name] = command.measured(item.command, settings, rows, notes)
            if done[item.name].evaluation.interrupted:
                break
    return done


def check(gates: Gates, done: Mapping[str, Run], known: Baseline | None, runs: Path) -> Held:
    """Compare what was measured with the baseline."""
    held = Held(runs={name: run.id for name, run in done.items()})
    for item in gates.set:
        run = done.get(item.name)
        if run is None or run.evaluation.interrupted:
            held.interrupted = True
            continue
        failures = [row for row in run.evaluation.rows if "error" in row]
        if failures or run.bad:
            held.problems.append(f"{item.name}: {len(failures)} rows failed and {len(run.bad)} were not usable")
        before = known.sets.get(item.name) if known is not None else None
        if before is not None and before.sha256 != run.sha256:
            held.problems.append(f"{item.name}: {item.file.name} is not the file the baseline was made of")
            before = None
        for figure, limits in item.figures.items():
            _check(item, figure, limits, gates.alpha, run, before, held, runs)
    return held


def _check(
    item: Set,
    figure: str,
    limits: Limits,
    alpha: float,
    run: Run,
    before: Outcomes | None,
    held: Held,
    runs: Path,
) -> None:
    now = figures(run, figure)
    scored = [value for value in now.values() if value is not None]
    if not scored:
        held.problems.append(f"{item.name}: no row has a figure {figure!r}")
        return
    mean, way = float(np.mean(scored)), sign(figure)
    beyond = limits.worst is not None and (mean - limits.worst) * way < 0
    old = before.values(figure) if before is not None and before.rows == run.limit else None
    if old is None or len(old) != len(now):
        verdict = "beyond worst" if beyond else "no baseline"
        held.checks.append(Check(item.name, figure, len(scored), None, mean, None, None, limits.worst, verdict))
        return
    pairs = [(line, o, n) for (line, n), o in zip(now.items(), old, strict=True) if o is not None and n is not None]
    a, b = np.asarray([(o, n) for _, o, n in pairs], dtype=float).reshape(-1, 2).T
    difference = (b - a) * way
    p = worse(difference, binary(a) and binary(b))
    change = float(difference.mean()) if len(difference) else 0.0
    verdict = "ok" if change <= 0 else "better"
    if change < -limits.tolerance - 1e-12 and p < alpha:
        verdict = "worse"
    if beyond:
        verdict = "beyond worst"
    before_mean = float(a.mean()) if len(a) else None
    found = Check(item.name, figure, len(pairs), before_mean, mean, change * way + 0.0, p, limits.worst, verdict)
    held.checks.append(found)
    if found.failed:
        asked, ids = texts(runs, run.id), {row["line"]: row["id"] for row in run.evaluation.rows}
        fell = [line for (line, _, _), value in zip(pairs, difference, strict=True) if value < 0]
        held.lost[f"{item.name} {figure}"] = [f"{ids[line]}: {asked.get(line, '')}" for line in fell]


def figures(run: Run, figure: str) -> dict[int, float | None]:
    """Value of every row by its line; None where it was not scored or failed."""
    rows = sorted(run.evaluation.rows, key=lambda row: row["line"])
    values = {row["line"]: measures(run.command, row).get(figure) for row in rows}
    return {line: None if value is None else round(value, baseline.PLACES) for line, value in values.items()}


def renew(
    gates: Gates, done: Mapping[str, Run], known: Baseline | None, path: Path, reason: str, now: datetime
) -> Baseline:
    """Write what was measured as the new baseline. Raises BaselineError when a set was not measured whole."""
    broken = [
        item.name
        for item in gates.set
        if item.name not in done
        or done[item.name].evaluation.interrupted
        or any("error" in row for row in done[item.name].evaluation.rows)
    ]
    if broken:
        raise BaselineError(f"the baseline stays as it was: {', '.join(broken)} was not measured whole")
    sets = dict(known.sets) if known is not None else {}
    means: dict[str, float] = {}
    for item in gates.set:
        run = done[item.name]
        values = {figure: list(figures(run, figure).values()) for figure in item.figures}
        sets[item.name] = Outcomes(
            sha256=run.sha256,
            rows=item.rows,
            corpus=str(run.provenance["kb"]["corpus"]),
            figures={figure: baseline.packed(column) for figure, column in values.items()},
        )
        for figure, column in values.items():
            scored = [value for value in column if value is not None]
            means[f"{item.name} {figure}"] = round(float(np.mean(scored)), 4) if scored else float("nan")
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    head = revision(command.HERE.parent)["revision"]
    entry = Renewal(at=at, reason=reason, revision=head, figures=means)
    baseline.write(path, sets, [*(known.history if known is not None else []), entry])
    return Baseline.model_validate_json(path.read_bytes())


def as_json(held: Held) -> dict[str, Any]:
    return {
        "failed": held.failed,
        "interrupted": held.interrupted,
        "checks": [asdict(check) for check in held.checks],
        "problems": held.problems,
        "lost": held.lost,
        "runs": held.runs,
    }


def as_markdown(held: Held, alpha: float, most: int = 10) -> str:
    lines = ["| set | figure | rows | baseline | now | difference | p | allowed | |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---:|---|")
    for item in held.checks:
        allowed = "" if item.worst is None else f"{'<=' if sign(item.figure) < 0 else '>='} {item.worst:.2f}"
        lines.append(
            f"| {item.set} | {item.figure} | {item.n} | {_number(item.before)} | {_number(item.now)} "
            f"| {_number(item.difference, '+.3f')} | {_number(item.p)} | {allowed} | {item.verdict} |"
        )
    lines.append(f"\nworse: a loss beyond the tolerance that chance alone shows in less than {alpha:.0%} of cases")
    lines += [f"problem: {problem}" for problem in held.problems]
    for name, rows in held.lost.items():
        lines += ["", f"Rows that got worse by {name}: {len(rows)}", *(f"- {row}" for row in rows[:most])]
        if len(rows) > most:
            lines.append(f"- and {len(rows) - most} more (--json lists them)")
    return "\n".join(lines)


def _number(value: float | None, form: str = ".3f") -> str:
    return "" if value is None else format(value, form)


def run(settings: Settings, options: Options, notes: Console, now: Callable[[], datetime]) -> tuple[Held, Gates]:
    """Measure, then compare or renew. Raises HandrailError where there is nothing to compare."""
    gates = load_gates(options.gates, options.only)
    runs = options.runs or command.runs_folder(settings)
    options = replace(options, runs=runs)
    known = baseline.read(options.baseline)
    done = measure(gates, settings, options, notes)
    if options.reason is not None:
        known = renew(gates, done, known, options.baseline, options.reason, now())
    return check(gates, done, known, runs), gates
