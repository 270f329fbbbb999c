"""`/desk/api/grades`: the sample of a day, graded by people, and whether grades have fallen."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from api.desk_access import Agent
from api.errors import BY_STATUS, ApiError
from api.learning import Learning
from handrail.desk.drift.daily import last_whole_day, sample_of
from handrail.desk.drift.line import fall
from handrail.desk.drift.watch import grades_until
from handrail.desk.handoff.views import turn
from handrail.desk.reports.period import PeriodError, read_day, time_zone
from handrail.records.gradings import FROM_ARTICLES, PERSON, Drawn

router = APIRouter()


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")
    grade: int = Field(ge=1, le=5)


@router.get("/grades")
async def sample(
    signed: Agent,
    learning: Learning,
    day: Annotated[str | None, Query(description="Such as 2026-11-01. Default: yesterday.")] = None,
) -> dict[str, Any]:
    """The answers of the day's sample in the order of the draw, and a fall of the grades by the end of yesterday."""
    zone = time_zone(learning.zone)
    yesterday = last_whole_day(zone, learning.clock())
    chosen = _day(day) if day else yesterday
    drawn = await sample_of(learning.gradings, chosen, zone, learning.daily)
    fallen = fall(await grades_until(learning.reports, yesterday, zone), yesterday)
    return {
        "day": chosen.isoformat(),
        "items": [_item(one) for one in drawn],
        "fall": {**asdict(fallen), "says": fallen.says} if fallen else None,
    }


@router.put("/grades/{turn_id}", status_code=204)
async def grade(turn_id: str, body: Given, signed: Agent, learning: Learning) -> Response:
    """A person's grade; the last one counts."""
    given = await learning.gradings.turn(turn_id)
    if given is None or given.routing not in FROM_ARTICLES:
        raise ApiError(404, *BY_STATUS[404])
    day = datetime.fromtimestamp(given.at, time_zone(learning.zone)).date().isoformat()
    kept = await learning.gradings.keep(
        "production",
        turn_id,
        day,
        by=PERSON,
        grade=body.grade,
        who=signed.user.id,
        kb=learning.kb,
        now=learning.clock(),
        conversation_id=given.conversation_id,
    )
    if not kept:
        raise ApiError(404, *BY_STATUS[404])
    return Response(status_code=204)


def _day(text: str) -> date:
    try:
        return read_day("day", text)
    except PeriodError as error:
        raise ApiError(422, "validation", str(error)) from None


def _item(drawn: Drawn) -> dict[str, Any]:
    return {
        **turn(drawn.evidence),
        "conversation_id": drawn.evidence.conversation_id,
        "before": list(drawn.before[-1:]),
        "answer": drawn.answer,
        "case": drawn.case,
        "grades": {by: {"grade": one.grade, "who": one.who, "note": one.note} for by, one in drawn.grades.items()},
    }
