"""A proxy that serves another server under `/help`, as a company's own site would: the prefix is taken off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

PREFIX = "/help"
NOT_PASSED_ON = {"content-length", "transfer-encoding", "connection"}


def proxy(target: str) -> Starlette:
    client = httpx.AsyncClient(base_url=target, timeout=60)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    async def pass_on(request: Request) -> Response:
        path = request.url.path.removeprefix(PREFIX) or "/"
        asked = client.build_request(
            request.method, path, params=request.query_params, headers=request.headers.raw, content=await request.body()
        )
        answer = await client.send(asked, stream=True)

        async def parts() -> AsyncIterator[bytes]:
            async for part in answer.aiter_raw():
                yield part

        response = StreamingResponse(parts(), answer.status_code, background=BackgroundTask(answer.aclose))
        response.raw_headers = [
            (name.lower(), value) for name, value in answer.headers.raw if name.decode().lower() not in NOT_PASSED_ON
        ]
        return response

    methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS"]
    paths = [PREFIX, f"{PREFIX}/{{path:path}}"]
    return Starlette(
        lifespan=lifespan,
        routes=[Route(path, pass_on, methods=methods) for path in paths],
    )
