"""One `handrail eval` command from its file to its exit status."""

from __future__ import annotations

import asyncio
import importlib
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from eval import report
from eval.datasets import Dataset, load
from eval.datasets.refusal import REFUSAL
from eval.datasets.retrieval import RETRIEVAL
from eval.datasets.routing import ROUTING
from eval.provenance import provenance
from eval.record import Run, new_run_id, write
from eval.runner import Bars, Evaluation, Job, progress_on
from handrail.settings import Settings

HERE = Path(__file__).parent
RUNS = HERE / "runs"
INTERRUPTED = 130

Evaluate = Callable[[Job[Any]], Awaitable[Evaluation]]


@dataclass(frozen=True, slots=True)
class Options:
    file: Path | None = None
    limit: int | None = None
    as_json: bool = False
    runs: Path | None = None


DATASETS: dict[str, Dataset[Any]] = {
    "routing": ROUTING,
    "retrieval": RETRIEVAL,
    "refusal": REFUSAL,
    "latency": RETRIEVAL,
}
"""The kind of file each command reads; its evaluator is the module of the same name."""


def run(command: str, settings: Settings, options: Options, out: Callable[[str], None], notes: Console) -> int:
    """Measure, write the run record, print. The exit status: 0, 1 when rows were not usable, 130 when interrupted.

    Raises HandrailError when there is nothing to measure: an unreadable file, no index, no models.
    """
    dataset = DATASETS[command]
    path = options.file or dataset.default
    loaded = load(dataset, path, options.limit)
    for bad in loaded.bad:
        notes.print(f"[red]not used[/] {escape(f'{path} line {bad.line}: {bad.why}')}", soft_wrap=True)
    known = provenance(settings, HERE.parent)
    evaluate: Evaluate = importlib.import_module(f"eval.evaluators.{command}").evaluate
    started, start = datetime.now(UTC), time.monotonic()
    with progress_on(notes) as progress:
        found = asyncio.run(_awaited(evaluate, Job(settings, loaded.cases, Bars(progress), options.limit)))
    done = Run(
        id=new_run_id(command, started, secrets.token_hex(3)),
        command=command,
        started=started,
        seconds=time.monotonic() - start,
        file=path,
        sha256=loaded.sha256,
        limit=options.limit,
        bad=loaded.bad,
        provenance=known,
        evaluation=found,
    )
    _show(done, options, out, notes)
    notes.print(f"[dim]run record: {escape(str(write(done, options.runs or RUNS)))}[/]", soft_wrap=True)
    return _status(done)


async def _awaited(evaluate: Evaluate, job: Job[Any]) -> Evaluation:
    return await evaluate(job)


def _show(run: Run, options: Options, out: Callable[[str], None], notes: Console) -> None:
    if options.as_json:
        notes.print(report.as_markdown(run), markup=False, emoji=False, soft_wrap=True)
    out(report.as_json(run) if options.as_json else report.as_markdown(run))
    found = run.evaluation
    failed = [row for row in found.rows if "error" in row]
    for row in failed[:10]:
        notes.print(f"[red]failed[/] {escape(row['id'])}: {escape(row['error'])}", soft_wrap=True)
    left_out = sum("not_applicable" in row for row in found.rows)
    if left_out:
        notes.print(f"not applicable: {left_out} rows were run and not scored; each says why in the rows")
    for note in found.notes:
        notes.print(escape(note), soft_wrap=True)
    if found.interrupted:
        notes.print("[yellow]interrupted[/]: the numbers are of what was done so far")


def _status(run: Run) -> int:
    if run.evaluation.interrupted:
        return INTERRUPTED
    return 1 if run.bad or any("error" in row for row in run.evaluation.rows) else 0
