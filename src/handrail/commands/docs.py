"""`handrail docs`: documents made from the code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handrail.commands import notes
from handrail.errors import HandrailError

app = typer.Typer(help="Write documents that are made from the code.", no_args_is_help=True)

TARGET = Path("docs/pipeline.md")


@app.callback()
def docs() -> None:
    """Documents that are made from the code."""


@app.command()
def flow(
    out: Annotated[Path, typer.Option("--out", help="File to write; - prints it.")] = TARGET,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail when the file is not current.")] = False,
    mine: Annotated[bool, typer.Option("--mine", help="Draw your own settings instead of the defaults.")] = False,
) -> None:
    """One flow chart (Mermaid) of the whole pipeline, with every switch."""
    from handrail.flow import document
    from handrail.settings import Settings, load_settings

    text = document(load_settings() if mine else Settings())
    if str(out) == "-":
        print(text, end="")  # noqa: T201
    elif check:
        if not out.is_file() or out.read_text(encoding="utf-8") != text:
            raise HandrailError(f"{out} is not current: run `handrail docs flow`")
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
        notes.print(f"wrote {out}")
