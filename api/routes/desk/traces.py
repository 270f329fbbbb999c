"""How an answer came about, and how it would now. For leads: a trace holds prompts and all that was found."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path

from api.dependencies import Needed
from api.desk_access import Lead
from api.errors import ApiError
from handrail.errors import HandrailError
from handrail.observe.compare import compare
from handrail.observe.replay import question_of
from handrail.observe.trace import Trace, document

router = APIRouter(prefix="/traces")

Id = Annotated[str, Path(max_length=64)]


@router.get("/{id_}")
async def one(id_: Id, _lead: Lead, services: Needed) -> dict[str, Any]:
    """By the id of the trace or of its turn."""
    return {"trace": await _found(id_, services)}


@router.post("/{id_}/replay")
async def replay(id_: Id, _lead: Lead, services: Needed) -> dict[str, Any]:
    """The turn run again with the settings and articles of this process. Nothing of it is stored or sent to anybody."""
    trace = await _found(id_, services)
    question = question_of(trace, await services.traces.message(trace["turn_id"]))
    with services.turns.one():
        try:
            record = await services.assistant.replay(question)
        except HandrailError:
            raise ApiError(
                503,
                "not_ready",
                "The assistant can't run this again right now. Try again in a moment.",
                retry_after_s=5,
            ) from None
    now = await asyncio.to_thread(document, record)
    return {"trace": now, **compare(trace, now)}


async def _found(id_: str, services: Needed) -> Trace:
    trace = await services.traces.find(id_)
    if trace is None:
        raise ApiError(404, "not_found", "There is no trace of this turn, or it has been deleted.")
    return trace
