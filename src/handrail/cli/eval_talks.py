"""`handrail eval talks`: what visitors read, conversation by conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import KB, Json, notes, settings_for
from handrail.cli.eval_runs import Runs, part
from handrail.errors import PermanentError


def talks(
    kb: KB = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", help="JSON lines of talks, or a folder of such files. Can be repeated."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", metavar="NAME=PATH", help="Articles of a help centre that rows refer to. Indexed separately."
        ),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="Ask a running server over HTTP, such as http://127.0.0.1:8400.")
    ] = None,
    alone: Annotated[bool, typer.Option("--alone", help="Also ask each message on its own, and compare.")] = False,
    sealed: Annotated[
        bool,
        typer.Option(
            "--sealed", help="Use the sealed rows that ship with Handrail. Only counts are printed and recorded."
        ),
    ] = False,
    as_json: Json = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N rows of each file.")] = None,
    runs: Runs = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume", metavar="RUN", help="Resume an interrupted run. Code, data and settings must be the same."
        ),
    ] = None,
) -> None:
    """Check whole conversations: what each reply must say, must not say, and how it must be routed.

    Rows: {"id", "kb", "turns": [{"say", "want": {"routing": [...], "facts": [["regex", "or another"]], "not": [...],
    "person": "offered|not_pushed|any"}}]}. A row's "kb" is sample, a fictional help centre in eval/datasets, or a name
    given with --corpus. docs/evaluation.md explains each verdict. Examples:

    handrail eval talks --file talks.jsonl --corpus acme=path/to/articles --json

    handrail eval talks --kb sample --alone

    handrail eval talks --url http://127.0.0.1:8400 --file talks.jsonl
    """
    evaluation, selecting = part("command"), part("talks.selecting")
    source = selecting.TalkSource(
        files=tuple(file or ()),
        corpora=corpora(corpus or []),
        url=url.rstrip("/") if url else None,
        alone=alone,
        sealed=sealed,
        kb_given=kb is not None,
    )
    chosen = evaluation.Options(source=source, as_json=as_json, limit=limit, runs=runs, resume=resume)
    status: int = evaluation.run("talks", settings_for(kb), chosen, typer.echo, notes)
    if status:
        raise typer.Exit(status)


def corpora(given: list[str]) -> dict[str, Path]:
    """`NAME=PATH` each. Raises PermanentError."""
    found = {}
    for item in given:
        name, sign, path = item.partition("=")
        if not (name and sign and path):
            raise PermanentError(f"--corpus {item!r} isn't NAME=PATH, such as acme=path/to/articles")
        found[name] = Path(path)
    return found
