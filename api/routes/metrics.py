"""`GET /metrics`: what Prometheus scrapes, for whoever has the key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Depends, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api.dependencies import Needed, Services
from api.routes.health import readiness
from handrail.observe.metrics import Metrics, Moment
from handrail.records import RecordsUnavailable


def build_router(metrics: Metrics, allowed: Callable[..., Awaitable[None]]) -> APIRouter:
    """`allowed` raises for whoever may not read them."""
    router = APIRouter(dependencies=[Depends(allowed)])

    @router.get("/metrics", include_in_schema=False, response_class=PlainTextResponse)
    async def scrape(services: Needed) -> Response:
        return Response(metrics.text(await _moment(services)), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return router


async def _moment(services: Services) -> Moment:
    found = await readiness(services)
    failing = services.condition.degraded(found.checks, services.assistant.problems())
    try:
        handoffs = (await services.desk.conversations.lists.counts(""))["queued"]
        outbox = await services.desk.outbox.undelivered()
    except RecordsUnavailable:
        handoffs, outbox = None, None
    return Moment(
        ready=found.ready,
        paused=found.paused,
        degraded={one.part: one.since for one in reversed(failing)},  # the oldest counts where one part has several
        running={"turns": services.turns.taken, "streams": len(services.followers)},
        waiting={
            "models": services.assistant.queued(),
            "records": services.database.queued,
            "traces": len(services.trace_queue) if services.trace_queue is not None else 0,
        },
        handoffs=handoffs,
        outbox=outbox,
    )
