"""`GET /metrics`: what Prometheus scrapes, for whoever has the key."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Header, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api.dependencies import Needed
from api.errors import ApiError
from api.routes.health import readiness
from handrail.observe.metrics import Metrics
from handrail.records import RecordsUnavailable


def build_router(metrics: Metrics, key: str) -> APIRouter:
    """`key` is asked for as `Authorization: Bearer …`."""
    router = APIRouter()

    @router.get("/metrics", include_in_schema=False)
    async def scrape(services: Needed, authorization: Annotated[str, Header()] = "") -> Response:
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() != "bearer" or not secrets.compare_digest(given.strip().encode(), key.encode()):
            raise ApiError(401, "unauthorized", "Send the key of observe.metrics_key as a bearer token.")
        found = await readiness(services)
        try:
            waiting = (await services.desk.conversations.lists.counts(""))["queued"]
        except RecordsUnavailable:
            waiting = None
        text = metrics.text(ready=found.ready, degraded=[one.part for one in found.degraded], waiting=waiting)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return router
