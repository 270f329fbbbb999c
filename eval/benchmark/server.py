"""`handrail serve` as a process of its own."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from eval.benchmark import local_environment
from handrail.errors import HandrailError
from handrail.settings import Settings

READY_WITHIN_S = 120.0
POLL_S = 0.05
STOP_WITHIN_S = 15.0
HOST = "127.0.0.1"
SERVE = "from handrail.cli.app import main; main()"


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    process: subprocess.Popen[bytes]
    start_s: float
    """From starting the process to the first 200 of `/ready`."""

    def rss_mb(self) -> float:
        """Resident memory of the process and its children, in MiB."""
        process = psutil.Process(self.process.pid)
        return float(sum(p.memory_info().rss for p in (process, *process.children(recursive=True))) / 2**20)


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Server]:
    """Started, ready, and stopped afterwards. Raises HandrailError with its last words when it does not get ready."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "serve.log"
        port = free_port()
        with log.open("wb") as sink:
            start = time.monotonic()
            # A session of its own: Ctrl+C is for the benchmark, which then stops the server itself.
            process = subprocess.Popen(  # noqa: S603, ASYNC220
                [
                    sys.executable,
                    "-c",
                    SERVE,
                    "serve",
                    "--host",
                    HOST,
                    "--port",
                    str(port),
                    "--kb",
                    settings.knowledge.kb,
                ],
                env=local_environment(settings, Path(scratch)),
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
        try:
            url = f"http://{HOST}:{port}"
            await _ready(url, process, log)
            yield Server(url, process, time.monotonic() - start)
        finally:
            await asyncio.shield(asyncio.to_thread(_stop, process))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


async def _ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    async with httpx.AsyncClient(base_url=url, timeout=5.0, trust_env=False) as client:
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise HandrailError(f"`handrail serve` ended with {process.returncode}: {_last_words(log)}")
            try:
                if (await client.get("/ready")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(POLL_S)
    raise HandrailError(f"`handrail serve` was not ready after {READY_WITHIN_S:.0f} s: {_last_words(log)}")


def _last_words(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace").strip()[-600:] or "it said nothing"


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
