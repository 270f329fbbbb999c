"""`handrail …`: one Typer application; each command lives in a file of `handrail.cli`, loaded when it is used."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from handrail.cli.on_demand import OnDemand
from handrail.errors import HandrailError

app = typer.Typer(
    name="handrail",
    help="Customer-support assistant: answers from your help articles, shows its sources, hands over to people.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    cls=OnDemand,
)


@app.callback()
def chosen(
    tenant: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Run the command for this tenant: see `handrail tenant`."),
    ] = None,
) -> None:
    if tenant is not None:
        os.environ["HANDRAIL__STORAGE__TENANT"] = tenant


def main() -> None:
    """Errors raised on purpose become one plain line and exit code 1, Ctrl-C one and exit code 130."""
    console = Console(stderr=True, highlight=False)
    try:
        app()
    except HandrailError as error:
        console.print(f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(1)
    except SystemExit as ended:
        if interrupted(ended):
            console.print("stopped")
        raise


def interrupted(ended: BaseException) -> bool:
    """Whether Ctrl-C was the cause, which Typer makes an exit of without a word."""
    before = ended.__cause__ or ended.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or interrupted(before))
