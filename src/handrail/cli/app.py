"""`handrail …`: one Typer application; each command lives in a file of `handrail.cli`, loaded when it is used."""

from __future__ import annotations

import errno
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

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""What a disk says that takes no more; the error names no file then."""


@app.callback()
def chosen(
    tenant: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Run the command for this tenant: see `handrail tenant`."),
    ] = None,
) -> None:
    if tenant == "":  # a variable that isn't set would mean the deployment's own company
        raise typer.BadParameter("it names no tenant", param_hint="--tenant")
    if tenant is not None:
        os.environ["HANDRAIL__STORAGE__TENANT"] = tenant


def main() -> None:
    """Errors raised on purpose and those of a disk become one plain line and exit code 1, Ctrl-C one and 130."""
    console = Console(stderr=True, highlight=False)
    try:
        app()
    except HandrailError as error:
        console.print(f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(1)
    except OSError as error:
        if error.filename is None and error.errno not in FULL:
            raise
        where = "" if error.filename is None else f"{error.filename}: "
        console.print(f"[bold red]error:[/] {escape(where + os.strerror(error.errno or 0))}", soft_wrap=True)
        sys.exit(1)
    except SystemExit as ended:
        if interrupted(ended):
            console.print("stopped")
        raise


def interrupted(ended: BaseException) -> bool:
    """Whether Ctrl-C was the cause, which Typer makes an exit of without a word."""
    before = ended.__cause__ or ended.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or interrupted(before))
