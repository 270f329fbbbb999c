"""Clients that open a connection and send no request, or one without an end: on a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from typer.testing import CliRunner

from api.connections import MOST_BYTES, Patient
from handrail.cli.app import app
from tests.api.live import until

pytestmark = pytest.mark.anyio

BEGUN = b"GET / HTTP/1.1\r\nHost: x\r\n"
WHOLE = BEGUN + b"\r\n"
POST = b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body, but for `/early`; takes a second for `/long`."""
    more = scope["path"] != "/early"
    while more:
        more = (await receive()).get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    if scope["path"] == "/long":
        await asyncio.sleep(1.0)
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def connected(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """To a server that waits half a second for a request."""
    monkeypatch.setattr("api.connections.REQUEST_S", 0.5)
    config = uvicorn.Config(
        answering, host="127.0.0.1", port=0, lifespan="off", log_level="error", http="api.connections:Patient"
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    reader, writer = await asyncio.open_connection(*server.servers[0].sockets[0].getsockname())
    try:
        yield reader, writer
    finally:
        writer.close()
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def all_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until the server closes the connection."""
    async with asyncio.timeout(10):
        return await reader.read()


@pytest.mark.parametrize("sent", [b"", b"G", BEGUN, b"\r\n"])
async def test_who_never_ends_his_headers_is_closed(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    async with connected(monkeypatch) as (reader, writer):
        writer.write(sent)
        assert (await all_of(reader)).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("piece", [b"\r\n", b"X-A: b\r\n"])
@pytest.mark.parametrize("first", [b"", WHOLE], ids=["first request", "a later one"])
async def test_a_byte_now_and_then_keeps_nothing_open(
    monkeypatch: pytest.MonkeyPatch, first: bytes, piece: bytes
) -> None:
    async with connected(monkeypatch) as (reader, writer):
        if first:
            writer.write(first)
            await reader.readuntil(b"ok")
        writer.write(b"" if piece == b"\r\n" else BEGUN)
        reading = asyncio.create_task(all_of(reader))
        began = time.monotonic()
        while not reading.done() and time.monotonic() < began + 5:
            with contextlib.suppress(ConnectionError):
                writer.write(piece)
                await writer.drain()
            await asyncio.sleep(0.05)
        with contextlib.suppress(ConnectionError):
            await reading
        assert time.monotonic() < began + 5


@pytest.mark.parametrize("head", [b"GET /", BEGUN + b"X: "], ids=["line", "header"])
async def test_headers_without_an_end_are_not_kept(monkeypatch: pytest.MonkeyPatch, head: bytes) -> None:
    async with connected(monkeypatch) as (reader, writer):
        monkeypatch.setattr("api.connections.REQUEST_S", 60.0)
        writer.write(head + b"a" * (MOST_BYTES + 1))
        with contextlib.suppress(ConnectionError):
            assert (await all_of(reader)).startswith(b"HTTP/1.1 431 ")


async def test_a_body_that_nobody_reads_keeps_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected(monkeypatch) as (reader, writer):
        writer.write(POST + b"a" * (2 * MOST_BYTES))
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
        writer.write(b"a")
        await all_of(reader)


async def test_a_long_answer_and_a_large_body_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected(monkeypatch) as (reader, writer):
        writer.write(WHOLE.replace(b"/ ", b"/long "))
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
        writer.write(POST.replace(b"/early", b"/read"))
        for _ in range(9):
            writer.write(b"a" * 100_000)
            await asyncio.sleep(0.1)
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
        writer.write(WHOLE + WHOLE)
        for _ in range(2):
            assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")


def test_the_server_that_is_started_is_this_patient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[uvicorn.Config] = []
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    monkeypatch.setattr("handrail.cli.serve._indexed", lambda settings: None)
    monkeypatch.setattr("gc.freeze", lambda: None)

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        started.append(server.config)
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", run)

    result = CliRunner().invoke(app, ["serve", "--port", "0"])

    assert result.exit_code == 0, result.output
    (config,) = started
    config.load()
    assert config.http_protocol_class is Patient
