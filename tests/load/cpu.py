"""CPU time of one turn: the server's own, whatever else the machine is doing.

    python -m tests.load.cpu --turns 60             against the stand-in for a language model
    python -m tests.load.cpu --turns 60 --local     without a language model: quoted answers

Turns come one after another, encoders use one thread, and suggestions are not worked out beside them. Needs the sample
index (`handrail ingest --sample --kb sample`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil

from eval.metrics.timing import percentiles
from tests.load.streams import FIRST_TOKEN_S, GAP_S, QUESTIONS, Figures, client_of, server, turn
from tests.scripted_openai import Quotes, scripted_openai

ALONE = {"HANDRAIL__MODELS__THREADS": "1", "HANDRAIL__SUGGEST__ENABLED": "false"}
WARM_UP = 6


async def turns_in_a_row(url: str, process: psutil.Process, count: int) -> tuple[list[float], Figures]:
    """CPU milliseconds of each turn, user and system together, and what the visitor saw."""
    spent: list[float] = []
    figures = Figures()
    async with client_of(url, 1) as client:
        for number in range(WARM_UP + count):
            if number == WARM_UP:
                figures = Figures()
            before = _cpu_s(process)
            await turn(client, QUESTIONS[number % len(QUESTIONS)], figures)
            if number >= WARM_UP:
                spent.append((_cpu_s(process) - before) * 1000)
    return spent, figures


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in percentiles(values).items() if value is not None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--local", action="store_true", help="no language model: answers are quoted")
    parser.add_argument("--remember", action="store_true", help="the encoders remember, and each question comes again")
    parser.add_argument("--data-dir", type=Path, default=Path("var"))
    chosen = parser.parse_args()
    with scripted_openai() as model:
        model.script(Quotes(FIRST_TOKEN_S, GAP_S))
        changes = {**ALONE, **({"HANDRAIL__MODELS__REMEMBER": "20000"} if chosen.remember else {})}
        with server(None if chosen.local else model.url, chosen.data_dir, **changes) as (url, process):
            spent, figures = asyncio.run(turns_in_a_row(url, process, chosen.turns))
    mean = round(sum(spent) / len(spent), 1)
    summary = {"cpu_ms": {"mean": mean, **_spread(spent)}, **figures.summary()}
    sys.stdout.write(json.dumps(summary, indent=2) + "\n")
    sys.exit(1 if figures.errors else 0)


if __name__ == "__main__":
    main()
