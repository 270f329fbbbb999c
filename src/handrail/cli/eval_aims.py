"""`handrail eval aims`: where the product's aims stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import Json, notes, settings_for
from handrail.cli.eval_gate import INTERRUPTED
from handrail.cli.eval_runs import Runs, part
from handrail.errors import PermanentError


def aims(
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", metavar="NAME=PATH", help="A local copy of a dataset whose articles don't ship with Handrail."
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="TEXT", help="Only aims whose name contains this.")
    ] = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="A folder to keep the indexes in. Default: a temporary folder.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure again even if a finished run of the same thing exists.")
    ] = False,
    aims: Annotated[Path | None, typer.Option("--aims", help="Another aims.toml.")] = None,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """Measure every figure of eval/aims.toml at this revision and print one table: value, interval, n, aim, run.

    Takes about twenty minutes on two idle cores. Bases are indexed separately and no LLM is asked. If interrupted, it
    prints what is done; with --index the next call resumes, reusing finished runs of the same code, settings and rows.

    handrail eval aims --index var/aims --data astro=astro-docs.tar.gz --data wixqa=wixqa

    A missed aim is not a failure: the exit status is 0. `handrail eval gate` is the one that fails on a regression.
    """
    module = part("aims")
    options = {"aims": aims, "only": only, "index": index, "runs": runs}
    chosen = {name: value for name, value in options.items() if value is not None}
    standing = module.stand(settings_for(), module.Options(**chosen, data=copies(data or []), fresh=fresh), notes)
    if as_json:
        print(json.dumps(part("report").rounded(module.as_json(standing)), indent=2))  # noqa: T201
    else:
        typer.echo(module.as_markdown(standing))
    if standing.interrupted:
        notes.print("[yellow]interrupted[/]: run the same command with --index to resume")
        raise typer.Exit(INTERRUPTED)


def copies(given: list[str]) -> dict[str, Path]:
    found = {}
    for item in given:
        name, sign, path = item.partition("=")
        if not (name and sign and path):
            raise PermanentError(f"--data {item!r} isn't NAME=PATH, such as astro=astro-docs.tar.gz")
        if not Path(path).exists():
            raise PermanentError(f"--data {name}: {path} doesn't exist")
        found[name] = Path(path)
    return found
