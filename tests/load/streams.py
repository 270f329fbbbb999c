"""Streams against a real server and a stand-in for the language model that speaks its protocol.

    python -m tests.load.streams --ten-minutes                   the documented run: 100 streams at once, ten minutes
    python -m tests.load.streams --seconds 60 --streams 100      a shorter one
    python -m tests.load.streams --seconds 60 --rate 12          arrivals of 12 turns/s, however long each takes
    python -m tests.load.streams --seconds 10 --streams 1 --local   without a language model: quoted answers

The server remembers no result of a model: the few questions asked again and again stand for as many different ones.
Needs the sample index (`handrail ingest --sample --kb sample`). Exit status 1 when a stream failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from eval.benchmark import environment
from eval.benchmark.following import StreamFailed, follow
from eval.benchmark.server import free_port
from eval.metrics.timing import percentiles
from tests.scripted_openai import Quotes, scripted_openai

FIRST_TOKEN_S = 0.3
GAP_S = 0.02
QUESTIONS = (
    "How do I connect my own domain?",
    "How do I refund a customer?",
    "How do I stop double bookings?",
    "How do I add a team member?",
    "How do I change the time zone of my calendar?",
    "How do I add a product to my store?",
)
READY_S = 120.0
TEN_MINUTES_S = 600.0
SAMPLE_EVERY_S = 2.0


@dataclass
class Figures:
    """What the visitors saw, in milliseconds from sending, and what the server held, in MiB."""

    first_event: list[float] = field(default_factory=list)
    first_text: list[float] = field(default_factory=list)
    complete: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    rss_mb: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def summary(self) -> dict[str, Any]:
        return {
            "turns": len(self.complete),
            "turns_per_s": round(len(self.complete) / self.seconds, 2) if self.seconds else 0.0,
            "first_event_ms": _spread(self.first_event),
            "first_text_ms": _spread(self.first_text),
            "complete_ms": _spread(self.complete),
            "outcomes": dict(self.outcomes),
            "errors": len(self.errors),
            "error_kinds": dict(Counter(self.errors).most_common(5)),
            "rss_mb": self.memory(),
        }

    def memory(self) -> dict[str, float]:
        """Mean of each quarter of the run, what the last gained on the second, and the most; nothing unless sampled."""
        size = len(self.rss_mb)
        if not size:
            return {}
        means = [_mean(self.rss_mb[size * part // 4 : size * (part + 1) // 4]) for part in range(4)]
        quarters = dict(zip(("first_quarter", "second_quarter", "third_quarter", "last_quarter"), means, strict=True))
        grown = {"grown": means[3] - means[1], "most": max(self.rss_mb)}
        return {name: round(value, 1) for name, value in (quarters | grown).items()}


@contextmanager
def server(model_url: str | None, data_dir: Path, **changes: str) -> Iterator[tuple[str, psutil.Process]]:
    """`handrail serve` in a process of its own, ready."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        server_in(Path(scratch), model_url, data_dir, changes) as running,
    ):
        yield running


@contextmanager
def server_in(
    scratch: Path, model_url: str | None, data_dir: Path, changes: Mapping[str, str]
) -> Iterator[tuple[str, psutil.Process]]:
    """The same with its records and its log in `scratch`: `load.db` and `serve.log`."""
    port = free_port()
    values = {
        **environment(),
        "HANDRAIL__STORAGE__DATA_DIR": str(data_dir.resolve()),
        "DATABASE_URL": f"sqlite:///{scratch}/load.db",
        "REDIS_URL": "",
        "LANGFUSE_PUBLIC_KEY": "",
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": model_url or "",
        "HANDRAIL__CLASSIFY__MODE": "local",
        "HANDRAIL__REWRITE__LLM": "false",
        "HANDRAIL__VERIFY__LLM": "off",
        "HANDRAIL__LIMITS__ENABLED": "false",
        "HANDRAIL__OBSERVE__LOG_LEVEL": "warning",
        "HANDRAIL__MODELS__REMEMBER": "0",
        **changes,
    }
    log = scratch / "serve.log"
    command = [sys.executable, "-c", "from handrail.cli.app import main; main()", "serve", "--port", str(port)]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command, env={k: v for k, v in values.items() if v}, stdout=sink, stderr=sink, start_new_session=True
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(url, process, log)
        yield url, psutil.Process(process.pid)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def streams_at_once(url: str, process: psutil.Process, count: int, seconds: float) -> Figures:
    """`count` visitors, each with the next question as soon as the last is answered."""
    figures, ends = Figures(), time.monotonic() + seconds

    async def visitor(number: int, client: httpx.AsyncClient) -> None:
        asked = 0
        while time.monotonic() < ends:
            await turn(client, QUESTIONS[(number + asked) % len(QUESTIONS)], figures)
            asked += 1

    async with client_of(url, count) as client:
        await _timed(figures, process, [visitor(number, client) for number in range(count)])
    return figures


async def arrivals(url: str, process: psutil.Process, per_s: float, seconds: float) -> Figures:
    """A new visitor every `1 / per_s` seconds, whether or not those before are done."""
    figures = Figures()

    async def visitor(number: int, client: httpx.AsyncClient) -> None:
        await asyncio.sleep(number / per_s)
        await turn(client, QUESTIONS[number % len(QUESTIONS)], figures)

    async with client_of(url, 1000) as client:
        await _timed(figures, process, [visitor(number, client) for number in range(int(per_s * seconds))])
    return figures


async def _timed(figures: Figures, process: psutil.Process, visitors: list[Any]) -> None:
    sampling = asyncio.create_task(_sample(process, figures))
    start = time.monotonic()
    await asyncio.gather(*visitors)
    figures.seconds = time.monotonic() - start
    sampling.cancel()


async def turn(client: httpx.AsyncClient, question: str, figures: Figures) -> None:
    """Ask one question and read its stream to the end; what came of it is added to `figures`."""
    try:
        found = await follow(client, question)
    except StreamFailed as error:
        if str(error).startswith("HTTP"):
            figures.outcomes[str(error)] += 1
        if str(error) != "HTTP 429":
            figures.errors.append(str(error))
        return
    except httpx.HTTPError as error:
        figures.errors.append(type(error).__name__)
        return
    figures.outcomes[f"{found.routing}/{found.provider}"] += 1
    figures.first_event.append(found.first_event)
    if found.first_text is not None:
        figures.first_text.append(found.first_text)
    figures.complete.append(found.complete)


async def _sample(process: psutil.Process, figures: Figures) -> None:
    while True:
        figures.rss_mb.append(process.memory_info().rss / 2**20)
        await asyncio.sleep(SAMPLE_EVERY_S)


def client_of(url: str, connections: int) -> httpx.AsyncClient:
    """Holds that many connections open."""
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    return httpx.AsyncClient(base_url=url, timeout=90, limits=limits, trust_env=False)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + READY_S
    while time.monotonic() < ends:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{url}/ready", trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"the server did not get ready: {log.read_text(errors='replace')[-600:]}")


def _spread(values: list[float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in percentiles(values).items() if value is not None}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--ten-minutes", action="store_true", help="the same as --seconds 600")
    parser.add_argument("--rate", type=float, help="arrivals per second instead of a fixed number at once")
    parser.add_argument("--local", action="store_true", help="no language model: answers are quoted")
    parser.add_argument("--limit-per-minute", type=int, help="turn limits on, with this many questions of all a minute")
    parser.add_argument("--data-dir", type=Path, default=Path("var"))
    chosen = parser.parse_args()
    seconds = TEN_MINUTES_S if chosen.ten_minutes else chosen.seconds
    changes = {}
    if chosen.limit_per_minute:
        changes = {
            "HANDRAIL__LIMITS__ENABLED": "true",
            "HANDRAIL__LIMITS__VISITOR_PER_MINUTE": "0",
            "HANDRAIL__LIMITS__VISITOR_PER_DAY": "0",
            "HANDRAIL__LIMITS__GLOBAL_PER_MINUTE": str(chosen.limit_per_minute),
            "HANDRAIL__SERVER__DEMO_MODE": "false",
        }
    with scripted_openai() as model:
        model.script(Quotes(FIRST_TOKEN_S, GAP_S))
        with server(None if chosen.local else model.url, chosen.data_dir, **changes) as (url, process):
            asyncio.run(streams_at_once(url, process, min(4, chosen.streams), 3.0))
            if chosen.rate:
                figures = asyncio.run(arrivals(url, process, chosen.rate, seconds))
            else:
                figures = asyncio.run(streams_at_once(url, process, chosen.streams, seconds))
    load = os.getloadavg()
    summary = {**figures.summary(), "load_average": [round(value, 1) for value in load], "cores": os.cpu_count()}
    sys.stdout.write(json.dumps(summary, indent=2) + "\n")
    sys.exit(1 if figures.errors else 0)


if __name__ == "__main__":
    main()
