"""A stand-in for a language model as a process, which can be killed: `python -m tests.llm_process PORT FIRST GAP`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import uvicorn

from eval.benchmark.server import free_port
from tests.scripted_openai import Quotes, ScriptedOpenAI, application

STARTS_S = 60.0


@dataclass(frozen=True, slots=True)
class Model:
    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def model_process(first_s: float = 0.3, gap_s: float = 0.02) -> Iterator[Model]:
    """Answers with quotations, `first_s` seconds to the first token and `gap_s` between them."""
    port = free_port()
    command = [sys.executable, "-m", "tests.llm_process", str(port), str(first_s), str(gap_s)]
    with subprocess.Popen(command) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/", process)
            yield Model(f"http://127.0.0.1:{port}/v1", process)
        finally:
            process.kill()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_S
    while True:
        assert process.poll() is None and time.monotonic() < until, "the stand-in does not start"
        try:
            httpx.get(url, trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return


if __name__ == "__main__":
    model = ScriptedOpenAI()
    model.script(Quotes(float(sys.argv[2]), float(sys.argv[3])))
    uvicorn.run(application(model), host="127.0.0.1", port=int(sys.argv[1]), log_level="error", lifespan="off")
