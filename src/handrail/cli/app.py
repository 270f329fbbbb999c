"""`handrail …`: one Typer application; each command lives in a file of `handrail.cli`."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from handrail.cli import (
    ask,
    backup,
    calibrate,
    chat,
    config,
    context,
    decisions,
    desk,
    desk_learning,
    desk_report,
    docs,
    doctor,
    drift,
    experiment,
    ingest,
    init,
    kb,
    kb_conflicts,
    kb_versions,
    key,
    models,
    outbox,
    parse,
    prompts,
    report,
    retrieve,
    serve,
    sync,
    tenant,
    trace,
    tune,
    upgrade,
)
from handrail.cli import eval as evaluation
from handrail.errors import HandrailError

app = typer.Typer(
    name="handrail",
    help="Customer-support assistant: answers from your help articles, shows its sources, hands over to people.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(serve.serve)
app.command()(ask.ask)
app.command()(chat.chat)
app.command()(config.config)
app.command()(init.init)
app.command()(doctor.doctor)
app.command()(backup.backup)
app.command()(backup.restore)
app.command()(upgrade.upgrade)
app.command()(ingest.ingest)
app.command()(parse.parse)
app.command()(retrieve.retrieve)
app.command()(report.report)
app.command()(sync.sync)
app.command()(calibrate.calibrate)
app.command()(tune.tune)
app.add_typer(evaluation.app, name="eval")
desk_learning.add_to(desk.app)
desk_report.add_to(desk.app)
app.add_typer(desk.app, name="desk")
app.add_typer(context.app, name="context")
app.add_typer(decisions.app, name="decisions")
app.add_typer(drift.app, name="drift")
app.add_typer(docs.app, name="docs")
app.add_typer(experiment.app, name="experiment")
kb_versions.add_to(kb.app)
kb.app.command()(kb_conflicts.conflicts)
app.add_typer(kb.app, name="kb")
app.add_typer(key.app, name="key")
app.add_typer(models.app, name="models")
app.add_typer(outbox.app, name="outbox")
app.add_typer(prompts.app, name="prompts")
app.add_typer(tenant.app, name="tenant")
app.add_typer(trace.app, name="trace")


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
