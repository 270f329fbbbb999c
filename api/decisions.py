"""The local decision model alone, on a port of its own: `handrail decisions serve`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from fastapi import FastAPI
from starlette.middleware import Middleware

from api import errors
from api.middleware.body import BodyLimit
from api.middleware.failure import Failure
from api.middleware.headers import SecurityHeaders
from api.middleware.request_id import RequestId
from api.routes.systemone import build_router
from handrail import __version__
from handrail.settings import Server

if TYPE_CHECKING:
    from pydantic_ai.models.decision import DecisionModel


def create_app(model: DecisionModel[Any], key: str | None, server: Server) -> FastAPI:
    """`key` as for `build_router`."""

    async def loaded() -> DecisionModel[Any]:
        return model

    around = [
        Middleware(RequestId, new_id=lambda: uuid4().hex, clock=time.perf_counter),
        Middleware(SecurityHeaders),
        Middleware(Failure),
        Middleware(BodyLimit, max_bytes=server.max_body_bytes, seconds=server.body_timeout_s),
    ]
    app = FastAPI(title="Handrail decisions", version=__version__, middleware=around, redoc_url=None)
    app.include_router(build_router(loaded, key))
    errors.install(app)
    return app
