"""`GET /health` and `GET /ready`: alive, and able to answer."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from fastapi import APIRouter, Response

from api.condition import Looked
from api.dependencies import Needed, Services
from api.schemas import Health, Readiness
from handrail import __version__

RETRY_S = "5"
LEAST_FREE = 200_000_000
"""Bytes; with fewer, an ingest or a busy day soon fills the disk, and nothing that is said can be kept."""

router = APIRouter(tags=["operation"])


@router.get("/health", operation_id="health", summary="Alive", response_description="The process answers.")
async def health() -> Health:
    """Always 200 while the process runs, from its first second."""
    return Health(status="ok", version=__version__)


@router.get(
    "/ready",
    operation_id="ready",
    summary="Able to answer",
    response_description="Questions can be answered.",
    responses={
        503: {
            "model": Readiness,
            "description": "Not yet, or not any more; `checks` says what is missing.",
            "headers": {"Retry-After": {"description": "Seconds until asking again.", "schema": {"type": "integer"}}},
        }
    },
)
async def ready(response: Response, services: Needed) -> Readiness:
    """200 once questions can be answered; send traffic only then.

    Problems that do not stop answers, such as a database or a language model that is away, make the status `degraded`
    and leave the code at 200: draining every replica for them would only make it worse. So does a pause, which makes it
    `paused`: the desk has paused the assistant for all visitors.
    """
    found = await readiness(services)
    if not found.ready:
        response.status_code = 503
        response.headers["Retry-After"] = RETRY_S
    return found


async def readiness(services: Services) -> Readiness:
    async def others() -> Looked:
        records, limits = await asyncio.gather(services.database.problem(), services.limits.problem())
        # Records that are away would be waited for once more.
        paused = records is None and await services.desk.talks.pausing.paused()
        disk = room(services.settings.storage.data_dir)
        return Looked({"records": records or "ok", "limits": limits or "ok", "disk": disk}, paused)

    looked = await services.condition.looked(others)
    checks = {**services.assistant.readiness(), **looked.checks}
    if services.startup.problem:
        checks["startup"] = services.startup.problem
    counting = checks["limits"] == "ok" or not services.settings.server.must_count
    is_ready = services.assistant.ready and counting
    degraded = services.condition.degraded(checks, services.assistant.problems()) if is_ready else []
    answering = "paused" if looked.paused else "degraded" if degraded else "ok"
    return Readiness(
        ready=is_ready,
        status=answering if is_ready else "not_ready",
        paused=looked.paused,
        degraded=degraded,
        checks=checks,
    )


def room(folder: Path) -> str:
    """`ok`, or how little is left on the disk that `folder` is on."""
    try:
        left = shutil.disk_usage(folder).free
    except OSError as error:
        return f"storage.data_dir can't be read: {error.strerror}"
    return "ok" if left >= LEAST_FREE else f"only {left // 1_000_000} MB are left where storage.data_dir is"
