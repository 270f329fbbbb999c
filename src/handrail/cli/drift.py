"""`handrail drift`: whether answers get worse."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.prompt import IntPrompt

from handrail.cli import KB, Json, MaxUsd, loading, notes, results, settings_for
from handrail.cli.desk import with_database
from handrail.desk.drift.daily import Grading, last_whole_day, sample_of
from handrail.desk.drift.golden import Golden, graded, read
from handrail.desk.drift.judging import Judged
from handrail.desk.drift.line import fall, points
from handrail.desk.drift.watch import grades_until
from handrail.desk.reports.period import period, read_day, time_zone
from handrail.errors import HandrailError, SettingsError
from handrail.llm.judge import Judge, connected
from handrail.llm.meter import metering
from handrail.records.database import Database
from handrail.records.gradings import JUDGE, PERSON, GradingRecords
from handrail.records.reports import ReportRecords
from handrail.settings import Settings

T = TypeVar("T")
LONGEST_RATING_S = 660.0
"""A rating that was begun longer ago than the longest `judge.timeout_s` has died with its process."""

app = typer.Typer(
    help="Whether answers get worse: a daily sample of real answers, and a golden set, graded from 1 to 5.",
    no_args_is_help=True,
)


@app.command()
def grade(
    day: Annotated[
        str | None, typer.Option("--day", metavar="DATE", help="Such as 2026-11-01. Default: yesterday.")
    ] = None,
    max_usd: MaxUsd = 0.0,
    as_json: Json = False,
) -> None:
    """Let the judge grade a day's sample. What is graded stays graded, so an interrupted run goes on where it stopped.

    A running server does this by itself once a day. The judge is the model of [judge]; with drift.judge = "llm", the
    answering model if there is none. People grade at the desk, under Reports.
    """
    settings = settings_for()
    zone = time_zone(settings.hours.timezone)
    chosen = read_day("--day", day) if day else last_whole_day(zone, time.time())
    if chosen > last_whole_day(zone, time.time()):
        notes.print(f"[yellow]note[/]: {chosen} is not over. Its sample may still change.")
    judge = _judge(settings, max_usd)

    async def work(database: Database) -> dict[str, Any]:
        records = GradingRecords(database, database.tenant)
        sample = await sample_of(records, chosen, zone, settings.drift.daily)
        before = sum(JUDGE in one.grades for one in sample)
        with _bar() as progress:
            task = progress.add_task(f"answers of {chosen}", total=len(sample))
            grading = Grading(
                records, judge, settings.knowledge.kb, time.time, LONGEST_RATING_S, max_usd,
                lambda: progress.advance(task),
            )  # fmt: skip
            try:
                done = await grading.grade(chosen, sample)
            finally:
                await judge.aclose()
        return {"day": chosen.isoformat(), "judge": judge.name, "n": len(sample), "before": before, **done.told()}

    told = with_database(settings, work)
    if as_json:
        print(json.dumps(told, indent=2))  # noqa: T201
    else:
        results.print(
            f"{told['day']}  {told['n']} answers drawn, {told['before']} graded before, {told['graded']} now by "
            f"{told['judge']}, {told['uncited']} without sources, {told['failed']} failed, {told['spent_usd']:.4f} USD"
        )
    if told["stopped"]:
        notes.print(f"[yellow]stopped[/]: {escape(told['stopped'])}")
    if told["stopped"] or told["failed"]:
        raise typer.Exit(1)


@app.command()
def show(
    first: Annotated[str | None, typer.Option("--from", help="First day, such as 2026-11-01.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day. Default: today.")] = None,
    weeks: Annotated[bool, typer.Option("--weeks", help="One line per week instead of per day.")] = False,
    as_json: Json = False,
) -> None:
    """Print the grades: mean, 95% interval (bootstrap) and number, per day, sample and grader. Says if they fell."""
    settings = settings_for()
    when = period(first, last, settings.hours.timezone, time.time())

    async def work(database: Database) -> dict[str, Any]:
        reports = ReportRecords(database, database.tenant)
        yesterday = last_whole_day(when.zone, time.time())
        fallen = fall(await grades_until(reports, yesterday, when.zone), yesterday)
        found = points(await reports.grades(when), weekly=weeks)
        told = {**asdict(fallen), "says": fallen.says} if fallen else None
        return {"points": [asdict(one) for one in found], "fall": told}

    told = with_database(settings, work)
    if as_json:
        print(json.dumps(told, indent=2))  # noqa: T201
        return
    for one in told["points"]:
        interval = f"[{one['low']:.2f}, {one['high']:.2f}]" if one["low"] is not None else ""
        results.print(
            f"{one['day']}  {one['sample']:<10}  {one['by']:<6}  {one['mean']:.2f}  {interval:<12}  n {one['n']}"
        )
    if not told["points"]:
        notes.print(f"no grades, {when.first} to {when.last}")
    if told["fall"]:
        notes.print(f"[red]fallen[/]: {escape(told['fall']['says'])}")


@app.command()
def golden(
    file: Annotated[Path, typer.Argument(help='JSON lines: {"id", "question", "expected_articles"?, "must_say"?}.')],
    kb: KB = None,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Grade the answers yourself, in the terminal.")] = False,
    max_usd: MaxUsd = 0.0,
    as_json: Json = False,
) -> None:
    """Ask a fixed set of questions with today's settings and articles, and grade the answers. Visitors see nothing.

    A question that isn't answered gets 1. Otherwise the lowest counts: the judge's grade, at most 2 if none of
    expected_articles is cited, and 1 to 5 by how much of must_say is said. Run again on the same day, it replaces that
    day's grades.

    handrail drift golden golden.jsonl --kb acme
    """
    rows, settings = read(file), settings_for(kb)
    judge = None if by_hand else _judge(settings, max_usd)
    today = (last_whole_day(time_zone(settings.hours.timezone), time.time()) + timedelta(days=1)).isoformat()

    async def work(database: Database) -> dict[str, Any]:
        told: dict[str, Any] = {"day": today, "judge": judge.name if judge else None, "rows": [], "stopped": None}
        try:
            with metering() as meter:
                async with aclosing(_answers(settings, rows, quiet=by_hand)) as answers:
                    async for row, response in answers:
                        told["rows"].append(
                            await _golden(
                                GradingRecords(database, database.tenant), settings, judge, today, row, response
                            )
                        )
                        if max_usd and meter.usage.cost_usd >= max_usd and len(told["rows"]) < len(rows):
                            told["stopped"] = f"the budget of {max_usd:.2f} USD is used up"
                            break
                told["spent_usd"] = meter.usage.cost_usd
        finally:
            if judge is not None:
                await judge.aclose()
        return told

    told = with_database(settings, work)
    grades = [row["grade"] for row in told["rows"] if "grade" in row]
    told["mean"] = round(sum(grades) / len(grades), 3) if grades else None
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=2))  # noqa: T201
    else:
        for row in told["rows"]:
            results.print(f"{row.get('grade', '-')}  {row['id']}  {row.get('error') or row.get('note')}")
        if grades:
            results.print(f"mean {told['mean']:.2f}, n {len(grades)}")
    if told["stopped"]:
        notes.print(f"[yellow]stopped[/]: {told['stopped']}")
    if told["stopped"] or len(grades) < len(told["rows"]):
        raise typer.Exit(1)


def _judge(settings: Settings, max_usd: float) -> Judge:
    """Raises SettingsError where there is none, or where nobody can tell what it costs."""
    judge = connected(settings, settings.drift.judge)
    if judge is None:
        raise SettingsError(
            "no judge is set up. Set judge.base_url or judge.api_key, and judge.model; or set drift.judge to llm to "
            "ask the answering model. Without one, people grade at the desk, under Reports"
        )
    priced = settings.judge if settings.judge.configured else settings.llm
    if max_usd and not (priced.usd_per_million_input or priced.usd_per_million_output):
        raise SettingsError("--max-usd needs the judge's prices: set judge.usd_per_million_input and …_output")
    return judge


async def _golden(
    records: GradingRecords, settings: Settings, judge: Judge | None, day: str, row: Golden, response: dict[str, Any]
) -> dict[str, Any]:
    try:
        found = await graded(judge, row, response) if judge else _asked(row, response)
    except HandrailError as error:
        return {"id": row.id, "error": str(error)}
    by, who = (JUDGE, judge.name) if judge else (PERSON, "the command line")
    kb = settings.knowledge.kb
    await records.keep(
        "golden", f"{kb}/{row.id}", day, by=by, grade=found.grade, who=who, kb=kb, now=time.time(), note=found.note
    )
    return {"id": row.id, "routing": response["routing"], **asdict(found)}


async def _answers(
    settings: Settings, rows: Sequence[Golden], *, quiet: bool
) -> AsyncGenerator[tuple[Golden, dict[str, Any]]]:
    """Each question alone, as a visitor's first; nothing is kept of it."""
    from handrail.assembly import Assistant
    from handrail.text.guard import clean, suspicious
    from handrail.turn.present import response
    from handrail.types import Question

    assistant = Assistant(settings)
    with loading():
        await assistant.start()
    try:
        with nullcontext() if quiet else _bar() as progress:
            for row in progress.track(rows, description="golden set") if progress else rows:
                text = clean(row.question, settings.server.max_question_chars)
                ids = (f"golden-{uuid.uuid4()}", str(uuid.uuid4()))
                record = await assistant.replay(Question(text, *ids, suspicious=suspicious(text)))
                if record.turn is not None:
                    yield row, response(record.turn)
    finally:
        await assistant.stop()


def _asked(row: Golden, response: dict[str, Any]) -> Judged:
    """A person's grade, given in the terminal."""
    results.print(f"\n{row.question}\n")
    results.print("\n\n".join(card["piece"]["markdown"] for card in response["closest"]) or response["answer"])
    for name, wanted in (("expected", row.expected_articles), ("must say", row.must_say)):
        if wanted:
            notes.print(escape(f"{name}: {'; '.join(wanted)}"))
    asked = f"{escape(row.id)}, 1 (wrong) to 5 (right and complete)"
    grade = IntPrompt.ask(asked, console=notes, choices=list("12345"), show_choices=False)
    return Judged(grade, "by hand")


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=notes, transient=True)
