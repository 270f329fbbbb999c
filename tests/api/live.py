"""The application behind a real server on a real socket, and events as a client reads them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in


@dataclass(frozen=True)
class Received:
    """One event; `data` is None for the `[DONE]` that ends a stream."""

    number: int
    data: dict[str, Any] | None

    @property
    def type(self) -> str:
        return self.data["type"] if self.data else "[DONE]"


@asynccontextmanager
async def serving(
    folder: Path, assistant: ScriptedAssistant, **sections: dict[str, Any]
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application that listens on a free port, in this event loop."""
    app = create_app(settings_in(folder, **sections), assistant)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    try:
        await until(lambda: server.started and assistant.ready)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - conditions here are plain reads, nothing announces them
            await asyncio.sleep(0.005)


async def events(response: httpx.Response) -> AsyncIterator[Received]:
    """Events as they arrive; comments are not events."""
    number = 0
    async for line in response.aiter_lines():
        field, _, value = line.partition(": ")
        if field == "id":
            number = int(value)
        elif field == "data":
            yield Received(number, None if value == "[DONE]" else json.loads(value))


async def all_events(client: httpx.AsyncClient, body: dict[str, Any]) -> list[Received]:
    async with client.stream("POST", "/chat/stream", json=body) as response:
        assert response.status_code == 200, await response.aread()
        return [event async for event in events(response)]


def text_of(received: list[Received]) -> str:
    """All deltas joined, as a client without knowledge of our own parts shows them."""
    return "".join(event.data["delta"] for event in received if event.data and event.type == "text-delta")


def data_of(received: list[Received], name: str) -> list[Any]:
    return [event.data["data"] for event in received if event.data and event.type == f"data-{name}"]
