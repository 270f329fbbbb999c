"""`GET /desk/api/reports/…`: figures over a range of days, as JSON and as CSV."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from api.desk_access import Agent
from api.errors import BY_STATUS, ApiError
from api.learning import Learning, LearningServices
from api.media import Csv
from handrail.desk.learning.doubts import SIGNS, Doubt
from handrail.desk.learning.gaps import Gap
from handrail.desk.reports import Report, Row
from handrail.desk.reports.build import reports
from handrail.desk.reports.period import Period, PeriodError, period
from handrail.desk.reports.table import csv_text

router = APIRouter()

First = Annotated[str | None, Query(alias="from", max_length=40)]
Last = Annotated[str | None, Query(alias="to", max_length=40)]
DOUBT_COLUMNS = ("question", "signs", "confidence", "articles", "asked", "conversation")
GAP_COLUMNS = (
    "question", "questions", "visitors", "verdict", "nearest_article", "nearest_title", "distance", "languages",
    "last_seen", "handed_off", "thumbs_down",
)  # fmt: skip


@router.get("/reports/{name}.csv", response_class=Csv)
async def report_csv(name: str, signed: Agent, learning: Learning, first: First = None, last: Last = None) -> Response:
    """The report's rows; nothing in them can run in a spreadsheet."""
    report = await build(name, learning, first, last)
    filename = f"{report.name}-{report.period.first}-{report.period.last}.csv"
    return Csv(
        csv_text(report.columns, report.rows).encode("utf-8"),
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


@router.get("/reports/{name}")
async def report_json(
    name: str, signed: Agent, learning: Learning, first: First = None, last: Last = None
) -> dict[str, Any]:
    """See docs/reports.md for what each figure means."""
    return (await build(name, learning, first, last)).as_json()


async def build(name: str, learning: LearningServices, first: str | None, last: str | None) -> Report:
    """Raises 404 for an unknown report and 422 for a range that cannot be."""
    when = chosen(learning, first, last)
    if name == "doubts":
        return doubt_report(await learning.doubts.between(when.start, when.end), when)
    if name == "gaps":
        return gap_report(await learning.gaps.between(when.start, when.end), when)
    builders = reports(learning.budget)
    if name not in builders:
        raise ApiError(404, *BY_STATUS[404])
    await learning.draw_facts()
    return await builders[name](learning.reports, when, learning.clock())


def chosen(learning: LearningServices, first: str | None, last: str | None) -> Period:
    try:
        return period(first or None, last or None, learning.zone, learning.clock())
    except PeriodError as error:
        raise ApiError(422, "validation", str(error)) from None


def doubt_report(doubts: list[Doubt], when: Period) -> Report:
    rows: list[Row] = [
        {
            "question": one.question,
            "signs": " ".join(one.signs),
            "confidence": round(one.given.confidence, 2),
            "articles": " ".join(one.given.articles),
            "asked": when.local(one.given.at),
            "conversation": one.given.conversation_id,
        }
        for one in doubts
    ]
    figures = {"answers": len(doubts)}
    for sign in SIGNS:
        figures[sign] = sum(sign in one.signs for one in doubts)
    return Report("doubts", when, figures, DOUBT_COLUMNS, rows, len(rows))


def gap_report(gaps: list[Gap], when: Period) -> Report:
    rows: list[Row] = [
        {
            "question": gap.question,
            "questions": gap.questions,
            "visitors": gap.visitors,
            "verdict": gap.verdict,
            "nearest_article": gap.nearest[0].article_id if gap.nearest else None,
            "nearest_title": gap.nearest[0].title if gap.nearest else None,
            "distance": gap.nearest[0].distance if gap.nearest else None,
            "languages": " ".join(gap.languages),
            "last_seen": when.local(gap.last_seen),
            "handed_off": gap.handed_off,
            "thumbs_down": gap.thumbs_down,
        }
        for gap in gaps
    ]
    figures = {
        "gaps": len(gaps),
        "questions": sum(gap.questions for gap in gaps),
        "missing": sum(gap.verdict == "missing" for gap in gaps),
        "not_found": sum(gap.verdict == "not_found" for gap in gaps),
        "unclear": sum(gap.verdict == "unclear" for gap in gaps),
    }
    return Report("gaps", when, figures, GAP_COLUMNS, rows, len(gaps))
