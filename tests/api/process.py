"""The application over a scripted assistant in a process of its own: `python -m tests.api.process FOLDER PORT`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in

ROOT = Path(__file__).parents[2]
STARTS_S = 30


@contextmanager
def process(folder: Path, port: int | None = None) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a server that is ready, and its process; killed afterwards."""
    port = port or free_port()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, "-m", "tests.api.process", str(folder), str(port)]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as running:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url)
            yield url, running
        finally:
            running.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str) -> None:
    until = time.monotonic() + STARTS_S
    while True:
        try:
            if httpx.get(f"{url}/ready", timeout=1).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        assert time.monotonic() < until, "the server does not start"
        time.sleep(0.1)


if __name__ == "__main__":
    limits = {"enabled": False, "handoff_per_hour": 0, "redis_url": os.environ.get("REDIS_URL")}
    application = create_app(settings_in(Path(sys.argv[1]), limits=limits), ScriptedAssistant())
    uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
