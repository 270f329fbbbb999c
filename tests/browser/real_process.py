"""The application with the real assistant in a process of its own, behind a socket that outlives it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.sample import sample_settings

ROOT = Path(__file__).parents[2]
STARTS_S = 120.0


class Process:
    """Killed and started again, it answers on the same port: connections meanwhile wait in the socket's queue."""

    def __init__(self, index: Path, database_url: str, redis_url: str) -> None:
        self._arguments = [str(index), database_url]
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "REDIS_URL": redis_url,
        }
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        number = self._socket.fileno()
        self._running = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.real_process", str(number), *self._arguments],
            cwd=ROOT,
            env=self._environment,
            pass_fds=[number],
        )

    def wait(self, path: str = "/ready") -> None:
        """Returns once questions are answered; people already talk when `/health` says so."""
        until = time.monotonic() + STARTS_S
        while httpx.get(self.base + path, timeout=STARTS_S).status_code != 200:
            assert time.monotonic() < until, "the application does not start"
            time.sleep(0.1)

    def kill(self) -> None:
        """Without a chance to finish anything."""
        assert self._running is not None
        self._running.send_signal(signal.SIGKILL)
        self._running.wait(timeout=30)

    def close(self) -> None:
        if self._running is not None and self._running.poll() is None:
            self.kill()
        self._socket.close()


def _serve(number: int, index: str, database_url: str) -> None:
    import uvicorn

    from api.app import create_app

    settings = sample_settings(
        Path(index),
        STORAGE__DATABASE_URL=database_url,
        LIMITS__VISITOR_PER_MINUTE="1000",
        LIMITS__DEMO_GLOBAL_PER_DAY="0",
        LIMITS__HANDOFF_PER_HOUR="0",
        LIMITS__REDIS_URL=os.environ["REDIS_URL"],
    )
    server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="error"))
    server.run(sockets=[socket.socket(fileno=number)])


if __name__ == "__main__":
    _serve(int(sys.argv[1]), sys.argv[2], sys.argv[3])
