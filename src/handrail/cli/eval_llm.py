"""`handrail eval llm`: what a language model adds, and what it costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from handrail.cli import Json, notes, settings_for
from handrail.cli.eval_aims import copies
from handrail.cli.eval_gate import INTERRUPTED
from handrail.cli.eval_runs import Runs, part


def llm(
    suite: Annotated[str, typer.Option("--suite", help="A suite of eval/suites.toml.")] = "support",
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="USD", min=0.0, help="Stop when this much has been spent.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Stop when this many tokens have been used.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N rows of each file.")] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", metavar="NAME=PATH", help="A local copy of a dataset whose articles don't ship with Handrail."
        ),
    ] = None,
    suites: Annotated[Path | None, typer.Option("--suites", help="Another suites.toml.")] = None,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """Measure a suite with your language model, and with quotations alone beside it, and print one table.

    Shows value, 95% interval, n, the difference over the same rows, cost, tokens and time. Stops at the budget, keeps
    what is done, and names what was cut. The next call resumes: finished parts and rows aren't paid for again.

    handrail eval llm --suite support --budget 2.00 --data mtrag-un=mtrag-un --data clapnq=clapnq

    Costs come from the prices in the settings (llm.usd_per_million_input and …_output, judge.usd_per_million_…).
    """
    module, report, bounds = part("suites"), part("suite_report"), part("bounds")
    settings = settings_for()
    written = module.with_model(settings)
    spending, said = bounds.bounded(written, budget, max_tokens)
    for note in said:
        notes.print(f"[yellow]note[/]: {escape(note)}", soft_wrap=True)
    given = {name: value for name, value in {"suites": suites, "runs": runs}.items() if value is not None}
    options = module.Options(suite=suite, limit=limit, data=copies(data or []), **given)
    found = module.sit(settings, options, spending, notes)
    priced = bounds.priced(written)
    if as_json:
        print(json.dumps(part("report").rounded(report.as_json(found, priced=priced)), indent=2))  # noqa: T201
    else:
        typer.echo(report.as_markdown(found, priced=priced))
    if found.interrupted:
        raise typer.Exit(INTERRUPTED)
    if any(measured.failed for measured in found.parts):
        raise typer.Exit(1)
