"""The application over a scripted assistant in a process of its own: `python -m tests.api.process FOLDER SOCKET`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in

ROOT = Path(__file__).parents[2]
STARTS_S = 120.0


@contextmanager
def process(
    folder: Path, turn_s: float = 0.0, **sections: dict[str, Any]
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a server that is ready, and its process; killed afterwards.

    Each turn takes `turn_s` seconds; without a section `limits` nothing is limited.
    It inherits a socket that listens already, so that no other process can take the port in between.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        number = listener.fileno()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        command = [
            sys.executable,
            "-m",
            "tests.api.process",
            str(folder),
            str(number),
            str(turn_s),
            json.dumps(sections),
        ]
        with subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[number]) as running:
            listener.close()  # once it is killed, nobody listens there
            try:
                _wait(url, running)
                yield url, running
            finally:
                running.kill()


def _wait(url: str, running: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_S
    while httpx.get(f"{url}/ready", timeout=STARTS_S).status_code != 200:
        assert running.poll() is None and time.monotonic() < until, "the server does not start"
        time.sleep(0.1)


if __name__ == "__main__":
    unlimited = {"enabled": False, "handoff_per_hour": 0, "redis_url": os.environ.get("REDIS_URL")}
    chosen = {"limits": unlimited, **json.loads(sys.argv[4])}
    assistant = ScriptedAssistant()
    assistant.takes_s = float(sys.argv[3])
    application = create_app(settings_in(Path(sys.argv[1]), **chosen), assistant)
    server = uvicorn.Server(uvicorn.Config(application, log_level="error"))
    server.run(sockets=[socket.socket(fileno=int(sys.argv[2]))])
