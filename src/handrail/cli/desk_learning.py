"""`handrail desk gaps` and `handrail desk cases`: what the desk has learned, in the terminal."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import KB, Json, notes, results, settings_for
from handrail.cli.desk import with_database
from handrail.desk.learning.cases import FORMATS, CaseError, lines
from handrail.desk.learning.gaps import Gap
from handrail.desk.reports.period import period
from handrail.records.database import Database
from handrail.records.learning import LearningRecords
from handrail.settings import Settings

From = Annotated[str | None, typer.Option("--from", help="First day, such as 2026-11-01. Default: 30 days ago.")]
To = Annotated[str | None, typer.Option("--to", help="Last day. Default: today.")]

cases_app = typer.Typer(help="Evaluation cases from ratings and agents.", no_args_is_help=True)


def gaps(
    kb: KB = None,
    first: From = None,
    last: To = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="Number of gaps to show, most asked first.")
    ] = 20,
    as_json: Json = False,
) -> None:
    """List the questions the articles didn't answer, grouped, with the nearest articles."""
    settings = settings_for(kb)
    when = period(first, last, settings.hours.timezone, time.time())
    found = _gaps(settings, when.start, when.end)[:limit]
    if as_json:
        print(json.dumps([asdict(gap) for gap in found], ensure_ascii=False, indent=2))  # noqa: T201
        return
    for gap in found:
        results.print(f"{gap.questions:5}  {gap.verdict:9}  {gap.question}")
        for near in gap.nearest[:1]:
            results.print(f"{'':17} nearest: {near.title} ({near.article_id}), distance {near.distance:.2f}")
    notes.print(f"{len(found)} gaps, {when.first} to {when.last} ({settings.hours.timezone})")


def _gaps(settings: Settings, start: float, end: float) -> list[Gap]:
    from handrail.assembly import Assistant
    from handrail.desk.learning.service import Gaps

    async def read(database: Database) -> list[Gap]:
        records = LearningRecords(database, database.tenant)
        if not await records.asked(start, end):
            return []
        assistant = Assistant(settings)
        await assistant.start()
        try:
            return await Gaps(records, assistant, time.time).between(start, end)
        finally:
            await assistant.stop()

    return with_database(settings, read)


@cases_app.command("export")
def export(
    case_format: Annotated[str, typer.Option("--format", help="`refusal` or `retrieval`.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file. Default: standard output.")
    ] = None,
    confirmed: Annotated[bool, typer.Option("--confirmed", help="Only cases confirmed at the desk.")] = False,
) -> None:
    """Write JSON lines for `handrail eval refusal --file FILE` or `handrail eval retrieval --file FILE`."""
    chosen = next((name for name in FORMATS if name == case_format), None)
    if chosen is None:
        raise CaseError(f"--format is one of {', '.join(FORMATS)}")

    async def read(database: Database) -> str:
        records = LearningRecords(database, database.tenant)
        await records.propose_cases(time.time())
        return lines(await records.cases(chosen, "confirmed" if confirmed else None), chosen)

    text = with_database(settings_for(), read)
    if output is None:
        print(text, end="")  # noqa: T201
    else:
        output.write_text(text, encoding="utf-8")
    notes.print(f"{text.count(chr(10))} {chosen} cases")


def add_to(app: typer.Typer) -> None:
    """Put both under `handrail desk`."""
    app.command("gaps")(gaps)
    app.add_typer(cases_app, name="cases")
