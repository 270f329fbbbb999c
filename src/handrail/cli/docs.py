"""`handrail docs`: the documentation as pages, with figures, thresholds and an answer of this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import notes, settings_for
from handrail.cli.eval_runs import Runs, part
from handrail.settings.paths import SAMPLE_KB

app = typer.Typer(help="Build the documentation.", no_args_is_help=True)


@app.callback()
def docs() -> None:
    """Build the documentation."""


@app.command()
def build(
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write to. Default: `docs` in the data folder.")
    ] = None,
    runs: Runs = None,
) -> None:
    """Write the documentation as HTML pages that open offline, and print the first one's path.

    The figures come from run records, the flow chart from the code and the settings in force, and the walkthrough from
    a question that is asked of the sample help centre; a language model is asked once if one is configured. Works in a
    clone. Fails if a link between pages leads nowhere.
    """
    settings = settings_for(SAMPLE_KB, suggest={"enabled": False})
    made = part("hub").build(settings, out or settings.storage.data_dir / "docs", runs, notes)
    typer.echo(str(made[0]))
