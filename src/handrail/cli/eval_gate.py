"""`handrail eval gate`: has anything got worse?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import Json, notes, settings_for
from handrail.cli.eval_runs import Runs, part
from handrail.errors import PermanentError

INTERRUPTED = 130


def gate(
    update: Annotated[
        bool, typer.Option("--update", help="Make the current rows the new baseline. Needs --reason.")
    ] = False,
    reason: Annotated[str | None, typer.Option("--reason", help="Why the baseline changes. Stored with it.")] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="SET", help="Run only this set from gates.toml.")
    ] = None,
    gates: Annotated[Path | None, typer.Option("--gates", help="Another gates.toml.")] = None,
    baseline: Annotated[Path | None, typer.Option("--baseline", help="Use another file of committed outcomes.")] = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="A data folder in which the sample is already indexed.")
    ] = None,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """Measure small fixed sets and compare them row by row with committed outcomes. Exit status 1 on a regression.

    Takes two minutes on two idle cores. The sample help centre is indexed in a temporary folder and no LLM is asked.
    Your other settings apply, so you can see what a bad setting does:

    HANDRAIL__RETRIEVAL__DENSE_WEIGHT=0 handrail eval gate --only retrieval

    If figures changed on purpose, give the reason and commit eval/gates/baseline.json:

    handrail eval gate --update --reason "a new reranker: hit@5 up, routing untouched"
    """
    if update != bool(reason and reason.strip()):
        raise PermanentError("use --update and --reason together: a new baseline must say why it changed")
    module = part("gate")
    chosen = {"gates": gates, "baseline": baseline, "runs": runs, "only": only, "reason": reason, "index": index}
    options = module.Options(**{name: value for name, value in chosen.items() if value is not None})
    held, known = module.run(settings_for(), options, notes, lambda: datetime.now(UTC))
    if as_json:
        print(json.dumps(part("report").rounded(module.as_json(held)), indent=2))  # noqa: T201
    else:
        typer.echo(module.as_markdown(held, known.alpha))
    if update:
        notes.print(f"the baseline is updated: commit {options.baseline}")
    for name, run in held.runs.items():
        notes.print(f"[dim]{name}: run {run}; `handrail eval report {run}` shows its rows[/]")
    if held.interrupted:
        raise typer.Exit(INTERRUPTED)
    if held.failed:
        notes.print("[red]the gate fails[/]: docs/eval-runs.md says what to do")
        raise typer.Exit(1)
    notes.print("[green]the gate holds[/]")
