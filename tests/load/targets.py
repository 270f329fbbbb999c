"""The load targets, measured one after the other against a real server, and met or missed: `make load`.

    python -m tests.load.targets                     short phases, under five minutes in all
    python -m tests.load.targets --scale 4           the same, four times as long
    python -m tests.load.targets --json load.json    where the figures go besides (default: var/load.json)

The stand-in for a language model speaks the real protocol, with 300 ms to the first token, and is a process of its
own. Server, stand-in and visitors share the machine's cores, so figures of a busy machine are upper bounds. Needs the
sample index (`handrail ingest --sample --kb sample`). Exit status 1 if a target was missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
from prometheus_client.parser import text_string_to_metric_families

from eval.metrics.timing import percentiles
from tests.llm_process import model_process
from tests.load.streams import FIRST_TOKEN_S, GAP_S, QUESTIONS, Figures, arrivals, client_of, server, streams_at_once

KEY = "a-key-of-the-load-run"
PER_S, BURST_PER_S = 12.0, 36.0
STREAMS = 100
LEAVING_ONE_IN = 5
LIMIT_PER_MINUTE = 60
"""Of the server that is to shed a burst: even over two windows fewer than it works on at once, or it would be busy."""
RECOVERS_S = 60.0
FLAT_MB = 50.0
"""How much more the last quarter of a phase may hold than the second."""
OPEN = {"HANDRAIL__OBSERVE__METRICS_KEY": KEY, "HANDRAIL__LIMITS__HANDOFF_PER_HOUR": "0"}
SHEDS = {
    "HANDRAIL__LIMITS__ENABLED": "true",
    "HANDRAIL__LIMITS__VISITOR_PER_MINUTE": "0",
    "HANDRAIL__LIMITS__VISITOR_PER_DAY": "0",
    "HANDRAIL__LIMITS__READS_PER_ADDRESS": "0",
    "HANDRAIL__LIMITS__STREAMS_PER_ADDRESS": "0",
    "HANDRAIL__LIMITS__GLOBAL_PER_MINUTE": str(LIMIT_PER_MINUTE),
    "HANDRAIL__SERVER__DEMO_MODE": "false",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One target and what came of it."""

    what: str
    target: str
    measured: str
    met: bool | None = None
    """None where there is no target."""


Phase = Callable[[str, psutil.Process], Awaitable[list[Row]]]


def at_most(what: str, value: float | None, most: float, unit: str) -> Row:
    shown = "nothing measured" if value is None else f"{value:.0f} {unit}"
    return Row(what, f"at most {most:.0f} {unit}", shown, value is not None and value <= most)


def none_of(what: str, found: list[str], of: int) -> Row:
    kinds = ", ".join(f"{kind} ({count})" for kind, count in Counter(found).most_common(3))
    return Row(what, "none", f"{len(found)} of {of}{': ' if kinds else ''}{kinds}", not found and of > 0)


def p95(values: list[float]) -> float | None:
    return percentiles(values)["p95_ms"]


async def sustained(url: str, process: psutil.Process, seconds: float) -> list[Row]:
    """Arrivals whether or not those before are done; they are sustained if later ones don't take ever longer."""
    figures = await arrivals(url, process, PER_S, seconds)
    third = max(1, len(figures.complete) // 3)
    early, late = (p95(part) or 0.0 for part in (figures.complete[:third], figures.complete[-third:]))
    name = f"{PER_S:.0f} turns/s"
    return [
        at_most(f"{name}: first event, p95", p95(figures.first_event), 150, "ms"),
        none_of(f"{name}: errors", figures.errors, int(PER_S * seconds)),
        Row(
            f"{name}: whole turns, p95 of the first and of the last third",
            "the last at most twice the first",
            f"{early:.0f} and {late:.0f} ms",
            0 < late <= 2 * early,
        ),
    ]


async def at_once(url: str, process: psutil.Process, seconds: float) -> list[Row]:
    figures = await streams_at_once(url, process, STREAMS, seconds)
    name = f"{STREAMS} streams at once"
    return [
        none_of(f"{name}: errors", figures.errors, len(figures.complete) + len(figures.errors)),
        flat(f"{name}: memory gained from the second to the last quarter", figures),
        Row(f"{name}: turns/s", "", f"{len(figures.complete) / figures.seconds:.1f}"),
    ]


def flat(what: str, figures: Figures) -> Row:
    memory = figures.memory()
    shown = f"{memory.get('grown', 0):.0f} MiB, most {memory.get('most', 0):.0f} MiB"
    return Row(what, f"at most {FLAT_MB:.0f} MiB", shown, bool(memory) and memory["grown"] <= FLAT_MB)


async def leaving(url: str, process: psutil.Process, seconds: float) -> list[Row]:
    """One visitor in five closes the page at the first words of an answer, and never comes back."""
    errors: list[str] = []
    stayed, left, ends = 0, 0, time.monotonic() + seconds

    async def visitor(number: int, client: httpx.AsyncClient) -> None:
        nonlocal stayed, left
        while time.monotonic() < ends:
            leaves = number % LEAVING_ONE_IN == 0
            try:
                ended = await _watched(client, QUESTIONS[number % len(QUESTIONS)], leaves=leaves)
            except httpx.HTTPError as error:
                errors.append(type(error).__name__)
                continue
            if ended is not None:
                errors.append(ended)
            left, stayed = left + leaves, stayed + (not leaves)

    async with client_of(url, 2 * STREAMS) as client:
        await asyncio.gather(*(visitor(number, client) for number in range(STREAMS // 2)))
        running = await _running(client)
        if running:
            await asyncio.sleep(15)
            running = await _running(client)
    return [
        none_of(f"1 in {LEAVING_ONE_IN} leaves ({left}): errors of those who stay", errors, stayed),
        Row("turns still worked on afterwards", "0", str(running), running == 0),
    ]


async def _watched(client: httpx.AsyncClient, question: str, *, leaves: bool) -> str | None:
    """What went wrong, if anything; whoever `leaves` sees the first words and no more."""
    outcome = False
    async with client.stream("POST", "/chat/stream", json={"question": question}) as response:
        if response.status_code != 200:
            return f"HTTP {response.status_code}"
        async for line in response.aiter_lines():
            if leaves and ('"data-draft"' in line or '"text-delta"' in line):
                return None
            if '"type":"error"' in line.replace(" ", ""):
                return "error part"
            outcome = outcome or '"data-outcome"' in line
    return None if outcome or leaves else "no outcome"


async def _running(client: httpx.AsyncClient) -> int:
    text = (await client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})).text
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return int(next(s.value for s in samples if s.name == "handrail_in_progress" and s.labels["what"] == "turns"))


async def hand_offs(url: str, process: psutil.Process, seconds: float, model_is_away: bool) -> list[Row]:
    """Requests for a person and messages to one, while others ask `PER_S` questions a second."""
    requests: list[float] = []
    messages: list[float] = []
    errors: list[str] = []
    ends = time.monotonic() + seconds

    async def visitor(client: httpx.AsyncClient) -> None:
        while time.monotonic() < ends:
            conversation = uuid4().hex
            made = (await client.post("/visitor", json={})).json()["token"]
            headers = {"Authorization": f"Bearer {made}"}
            body = {"conversation_id": conversation, "message": "Please help."}
            requests.append(await _ms(client, "/handoff", body, headers, errors))
            for text in ("It is about my invoice.", "Number 77."):
                body = {"conversation_id": conversation, "question": text, "turn_id": str(uuid4())}
                messages.append(await _ms(client, "/ask", body, headers, errors))
            await asyncio.sleep(0.5)

    async with client_of(url, 20) as client:
        asking = asyncio.create_task(arrivals(url, process, PER_S, seconds))
        await asyncio.gather(*(visitor(client) for _ in range(4)))
        asked = await asking
    name = "language model away" if model_is_away else "language model answers"
    return [
        at_most(f"{name}: request for a person, p95", p95(requests), 500, "ms"),
        at_most(f"{name}: message to a person, p95", p95(messages), 500, "ms"),
        none_of(f"{name}: errors", errors + asked.errors, len(requests) + len(messages) + len(asked.complete)),
    ]


async def _ms(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], headers: dict[str, str], errors: list[str]
) -> float:
    since = time.perf_counter()
    answer = await client.post(path, json=body, headers=headers)
    if answer.status_code not in (200, 201):
        errors.append(f"{path} {answer.status_code}")
    return 1000 * (time.perf_counter() - since)


async def burst(url: str, process: psutil.Process, seconds: float) -> list[Row]:
    """Three times as many as sustained, against a limit; afterwards a visitor asks each second until he is answered."""
    figures = await arrivals(url, process, BURST_PER_S, seconds)
    since = time.monotonic()
    async with client_of(url, 1) as client:
        while True:
            status = (await client.post("/ask", json={"question": QUESTIONS[0]})).status_code
            waited = time.monotonic() - since
            if status == 200 or waited > 2 * RECOVERS_S:
                break
            await asyncio.sleep(1)
    shed = figures.outcomes["HTTP 429"]
    name = f"burst of {BURST_PER_S:.0f}/s"
    return [
        Row(f"{name}: shed with 429", "some", f"{shed} of {int(BURST_PER_S * seconds)}", shed > 0),
        none_of(f"{name}: other errors", figures.errors, int(BURST_PER_S * seconds)),
        at_most(f"{name}: answers again after", waited if status == 200 else None, RECOVERS_S, "s"),
    ]


def measure(data_dir: Path, scale: float) -> list[Row]:
    rows: list[Row] = []

    def say(found: list[Row]) -> None:
        rows.extend(found)
        for row in found:
            sys.stderr.write(f"{row.what}: {row.measured}\n")

    with model_process(FIRST_TOKEN_S, GAP_S) as model, server(model.url, data_dir, **OPEN) as (url, process):
        asyncio.run(streams_at_once(url, process, 4, 3.0))  # warm up
        say(asyncio.run(sustained(url, process, 30 * scale)))
        say(asyncio.run(at_once(url, process, 40 * scale)))
        say(asyncio.run(leaving(url, process, 20 * scale)))
        say(asyncio.run(hand_offs(url, process, 12 * scale, False)))
        model.process.kill()
        say(asyncio.run(hand_offs(url, process, 12 * scale, True)))
    with model_process(FIRST_TOKEN_S, GAP_S) as model, server(model.url, data_dir, **OPEN, **SHEDS) as (url, process):
        say(asyncio.run(burst(url, process, 10)))
    return rows


def table(rows: list[Row]) -> str:
    lines = ["| measured | target | result | |", "|---|---|---|---|"]
    for row in rows:
        verdict = {None: "", True: "met", False: "missed"}[row.met]
        lines.append(f"| {row.what} | {row.target} | {row.measured} | {verdict} |")
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    gib = round(psutil.virtual_memory().total / 2**30)
    load = [round(value, 1) for value in os.getloadavg()]
    return {"cores": os.cpu_count(), "memory_gib": gib, "python": platform.python_version(), "load_average": load}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="how many times as long each phase takes")
    parser.add_argument("--data-dir", type=Path, default=Path("var"))
    parser.add_argument("--json", type=Path, help="default: load.json in the data folder")
    chosen = parser.parse_args()
    start, before = time.monotonic(), machine()
    rows = measure(chosen.data_dir, chosen.scale)
    found = {"machine": before, "seconds": round(time.monotonic() - start), "rows": [asdict(row) for row in rows]}
    where = chosen.json or chosen.data_dir / "load.json"
    where.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{table(rows)}\n\n{found['machine']}, {found['seconds']} s; written to {where}\n")
    sys.exit(1 if any(row.met is False for row in rows) else 0)


if __name__ == "__main__":
    main()
