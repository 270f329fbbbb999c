"""`handrail desk report`: the figures of the desk's reports page in the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from handrail.cli import Json, notes, settings_for
from handrail.cli.desk import with_database
from handrail.desk.reports import Report, Row
from handrail.desk.reports.build import REPORTS, reports
from handrail.desk.reports.forecast import budget_of
from handrail.desk.reports.period import period
from handrail.errors import PermanentError
from handrail.records.database import Database
from handrail.records.facts import FactRecords
from handrail.records.reports import ReportRecords


def add_to(app: typer.Typer) -> None:
    app.command()(report)


def report(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(REPORTS)}. docs/reports.md explains the figures.")],
    first: Annotated[str | None, typer.Option("--from", help="First day, such as 2026-11-01.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day. Default: the last 30 days.")] = None,
    as_json: Json = False,
) -> None:
    """Print one report of the desk, such as cost."""
    if name not in REPORTS:
        raise PermanentError(f"there is no report {name!r}. Use one of {', '.join(REPORTS)}")
    settings, now = settings_for(), time.time()
    when = period(first, last, settings.hours.timezone, now)

    async def work(database: Database) -> Report:
        await FactRecords(database, database.tenant).draw()
        return await reports(budget_of(settings))[name](ReportRecords(database, database.tenant), when, now)

    made = with_database(settings, work)
    if as_json:
        typer.echo(json.dumps(made.as_json(), ensure_ascii=False))
        return
    for figure, value in made.figures.items():
        shown = ", ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, Mapping) else value
        typer.echo(f"{figure}: {'n/a' if shown is None else shown}")
    for rows in (made.rows, *made.breakdowns.values()):
        _print(rows)
    for note in made.notes:
        notes.print(note, markup=False)


def _print(rows: Sequence[Row]) -> None:
    if rows:
        typer.echo("\n" + "\t".join(rows[0]))
    for row in rows:
        typer.echo("\t".join("" if cell is None else str(cell) for cell in row.values()))
