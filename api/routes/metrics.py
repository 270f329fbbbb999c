"""`GET /metrics`: what Prometheus scrapes, for whoever has the key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api.dependencies import Needed
from api.routes.health import readiness
from handrail.observe.metrics import Metrics
from handrail.records import RecordsUnavailable


def build_router(metrics: Metrics, allowed: Callable[..., Awaitable[None]]) -> APIRouter:
    """`allowed` raises for whoever may not read them."""
    router = APIRouter(dependencies=[Depends(allowed)])

    @router.get("/metrics", include_in_schema=False)
    async def scrape(services: Needed) -> Response:
        found = await readiness(services)
        try:
            waiting = (await services.desk.conversations.lists.counts(""))["queued"]
        except RecordsUnavailable:
            waiting = None
        text = metrics.text(ready=found.ready, degraded=[one.part for one in found.degraded], waiting=waiting)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return router
