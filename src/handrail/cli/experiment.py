"""`handrail experiment`: two prompts, models or settings on the same rows."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from handrail.cli import KB, Json, notes, settings_for
from handrail.cli.eval import Data, DatasetName, File, Limit
from handrail.cli.eval_gate import INTERRUPTED
from handrail.cli.eval_runs import Runs, part
from handrail.cli.eval_talks import corpora
from handrail.errors import MissingExtra, PermanentError, SettingsError
from handrail.settings.paths import SAMPLE_KB

app = typer.Typer(help="Compare two prompts, models or settings on the same rows.", no_args_is_help=True)

Set = list[str] | None
PROMPTS = "Prompts of {side}: a folder with the templates that change, langfuse:LABEL or langfuse:NAME@VERSION."
SET = "A setting of {side}, such as llm.model=gpt-5-mini. Can be repeated."


@app.callback()
def experiment() -> None:
    """Keeps `run` a command of its own."""


@app.command()
def run(
    kind: Annotated[str, typer.Argument(help="What the rows are: talks, answers, refusal, injection or routing.")],
    set_a: Annotated[Set, typer.Option("--set-a", metavar="S.NAME=VALUE", help=SET.format(side="A"))] = None,
    set_b: Annotated[Set, typer.Option("--set-b", metavar="S.NAME=VALUE", help=SET.format(side="B"))] = None,
    prompts_a: Annotated[str | None, typer.Option("--prompts-a", help=PROMPTS.format(side="A"))] = None,
    prompts_b: Annotated[str | None, typer.Option("--prompts-b", help=PROMPTS.format(side="B"))] = None,
    kb: KB = None,
    file: File = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="Articles for the rows of --file, indexed separately; for talks NAME=PATH."),
    ] = None,
    dataset: DatasetName = None,
    data: Data = None,
    limit: Limit = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="USD", min=0.0, help="Stop when this much has been spent.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Stop when this many tokens have been used.")
    ] = None,
    langfuse: Annotated[
        bool, typer.Option("--langfuse", help="Also record the rows as a Langfuse dataset with a run for each side.")
    ] = False,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """Measure A and B on the same rows, one row after the other, and say which is better.

    Sides start from your settings and the prompts in use. Each figure comes with the paired difference, its 95%
    interval, and a verdict: better, no worse, worse, or can't tell. The same command again resumes what was stopped.
    docs/eval-runs.md explains the verdict, and how a release of prompts depends on it. Examples:

    handrail experiment run talks --prompts-b drafts --budget 2

    handrail experiment run answers --file rows.jsonl --corpus articles --set-b llm.model=gpt-5 --budget 5
    """
    running, report, bounds = part("experiment.running"), part("experiment.report"), part("bounds")
    sides = part("experiment.sides")
    known = part("experiment.verdict").DECIDING
    if kind not in known:
        raise PermanentError(f"{kind!r} can't be compared by a verdict; choose one of {', '.join(known)}")
    settings = settings_for(kb or (SAMPLE_KB if file is None else None))
    with ExitStack() as stack:
        told = None
        if langfuse:
            told = stack.enter_context(closing(part("experiment.in_langfuse").InLangfuse(settings.observe)))
        try:
            a, b = sides.Given(tuple(set_a or ()), prompts_a), sides.Given(tuple(set_b or ()), prompts_b)
            both = sides.sides(settings, a, b)
            bounded = [bounds.bounded(side.settings, budget, max_tokens) for side in both]
            for note in dict.fromkeys(note for _, said in bounded for note in said):
                notes.print(f"[yellow]note[/]: {escape(note)}", soft_wrap=True)
            options = running.Options(kind, _source(kind, kb, file, corpus or [], dataset, data), limit, runs)
            found = running.run(both, options, bounded[0][0], notes)
        except ModuleNotFoundError as error:
            raise MissingExtra(f"`handrail experiment run` ({error.name})", "eval") from None
        priced = all(bounds.priced(side.settings) for side in both)
        if as_json:
            print(json.dumps(report.as_json(found, priced=priced), indent=2))  # noqa: T201
        else:
            typer.echo(report.as_markdown(found, priced=priced))
        if told is not None and found.status == "finished":
            folder = runs or part("command").runs_folder(settings)
            notes.print(part("experiment.in_langfuse").write(told, found, folder))
    if found.status == "interrupted" and found.stopped is None and not found.failed:
        raise typer.Exit(INTERRUPTED)
    if found.failed:
        raise typer.Exit(1)


def _source(
    kind: str, kb: str | None, file: Path | None, corpus: list[str], dataset: str | None, data: Path | None
) -> Any:
    if kind == "talks":
        if dataset is not None or data is not None:
            raise SettingsError("there are no datasets of talks: name a --file")
        return part("talks.selecting").TalkSource(file=file, corpora=corpora(corpus), kb_given=kb is not None)
    if len(corpus) > 1:
        raise SettingsError("the rows have one --corpus")
    articles = Path(corpus[0]) if corpus else None
    return part("selection").Source(file=file, dataset=dataset, data=data, corpus=articles, kb_given=kb is not None)
