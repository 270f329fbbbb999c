"""`handrail eval`: measure, with a run record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handrail.commands import KB, Json, eval_gate, eval_runs, notes, settings_for
from handrail.errors import MissingExtra

app = typer.Typer(
    help="Measure routing, retrieval, refusals and speed; each run leaves a record.", no_args_is_help=True
)

app.command()(eval_runs.runs)
app.command()(eval_runs.score)
app.command()(eval_runs.compare)
app.command()(eval_runs.report)
app.command()(eval_gate.gate)

SAMPLE_KB = "sample"

File = Annotated[
    Path | None,
    typer.Option("--file", help="JSON lines to measure on; default is the sample help centre's, with --kb sample."),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many usable rows.")]
Resume = Annotated[
    str | None, typer.Option("--resume", metavar="RUN", help="Go on with an interrupted run; nothing may have changed.")
]
Runs = Annotated[Path | None, typer.Option("--runs", help="Folder for run records; default is eval/runs.")]


@app.command()
def routing(
    kb: KB = None,
    file: File = None,
    as_json: Json = False,
    limit: Limit = None,
    runs: Runs = None,
    resume: Resume = None,
) -> None:
    """How well messages are sorted into the five labels. Rows: {"id", "text", "label"}."""
    _measure("routing", kb, file, as_json, limit, runs, resume)


@app.command()
def retrieval(
    kb: KB = None,
    file: File = None,
    as_json: Json = False,
    limit: Limit = None,
    runs: Runs = None,
    resume: Resume = None,
) -> None:
    """How far up the right articles are found. Rows: {"question", "article_ids": [...]}."""
    _measure("retrieval", kb, file, as_json, limit, runs, resume)


@app.command()
def refusal(
    kb: KB = None,
    file: File = None,
    as_json: Json = False,
    limit: Limit = None,
    runs: Runs = None,
    resume: Resume = None,
) -> None:
    """Whether it refuses what the articles do not answer. Rows: {"id", "question", "should_refuse"}."""
    _measure("refusal", kb, file, as_json, limit, runs, resume)


@app.command()
def conversation(
    kb: KB = None,
    file: File = None,
    as_json: Json = False,
    limit: Limit = None,
    runs: Runs = None,
    resume: Resume = None,
) -> None:
    """Whether a follow-up finds what it needs. Rows: {"id", "turns": [...], "last_needs", "article_ids"?, "kind"?}."""
    _measure("conversation", kb, file, as_json, limit, runs, resume)


@app.command()
def latency(kb: KB = None, file: File = None, as_json: Json = False, limit: Limit = None, runs: Runs = None) -> None:
    """How fast local turns, a server under 20 visitors, and ingest are. Questions come from retrieval rows.

    No LLM is asked, whatever the settings say. It takes a minute or two on a machine that does nothing else.
    """
    _measure("latency", kb, file, as_json, limit, runs)


def _measure(
    command: str,
    kb: str | None,
    file: Path | None,
    as_json: bool,
    limit: int | None,
    runs: Path | None,
    resume: str | None = None,
) -> None:
    evaluation = eval_runs.part("command")
    settings = settings_for(kb or (SAMPLE_KB if file is None else None))
    options = evaluation.Options(file=file, limit=limit, as_json=as_json, runs=runs, resume=resume)
    try:
        status: int = evaluation.run(command, settings, options, typer.echo, notes)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`handrail eval {command}` ({error.name})", "eval") from None
    if status:
        raise typer.Exit(status)
