"""The desk's own API: `/desk/api`, with a session in a cookie."""

from fastapi import APIRouter

from api.routes.desk import (
    account,
    actions,
    articles,
    conversations,
    grades,
    learning,
    live,
    oidc,
    outbox,
    pause,
    reports,
    sign_in,
    sources,
    team,
    traces,
)

router = APIRouter(prefix="/desk/api", include_in_schema=False)
for part in (
    sign_in,
    account,
    oidc,
    conversations,
    actions,
    live,
    team,
    reports,
    grades,
    learning,
    articles,
    sources,
    outbox,
    pause,
    traces,
):
    router.include_router(part.router)
