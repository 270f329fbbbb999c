"""Whether a change of the works changes any answer: whole responses, and what a visitor sees of them on the way.

    python -m eval.same_answers --kb sample --kb stays --kb payments --out before.jsonl
    python -m eval.same_answers --kb sample --kb stays --kb payments --out after.jsonl --against before.jsonl

Every question of each base's retrieval and refusal files is asked, without a language model. Processor time of a turn
is given as well, with one thread for the encoders.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval.benchmark import local
from eval.datasets import SAMPLE
from eval.evaluators import question
from handrail.assembly import Assistant
from handrail.settings import Settings, load_settings
from handrail.turn.present import response

FILES = ("retrieval.jsonl", "refusal.jsonl")
OF_THE_RUN = ("conversation_id", "turn_id", "trace_id")
"""What no two runs have in common."""


class Seen:
    """A TurnWatch that keeps what it is shown."""

    def __init__(self) -> None:
        self.parts: list[list[Any]] = []

    async def stage(self, name: str) -> None:
        return None

    async def draft(self, text: str) -> None:
        return None

    async def claim(self, id: str, text: str, indexes: Sequence[int]) -> None:
        self.parts.append(["claim", id, text, list(indexes)])

    async def replaced(self, id: str, label: str, replacement: str | None) -> None:
        self.parts.append(["replaced", id, label, replacement])


async def responses(settings: Settings, questions: Sequence[str]) -> list[dict[str, Any]]:
    """What is answered to each, what was shown of it, and `cpu_ms`."""
    rows = []
    assistant = Assistant(settings)
    try:
        await assistant.start()
        for text in questions:
            seen = Seen()
            before = time.process_time()
            turn = await assistant.ask(question(text, settings), seen)
            cpu_ms = (time.process_time() - before) * 1000
            told = {key: value for key, value in response(turn).items() if key not in OF_THE_RUN}
            told["meta"] = {key: value for key, value in told["meta"].items() if key != "latency_ms"}
            rows.append({"question": text, "response": told, "shown": seen.parts, "cpu_ms": round(cpu_ms, 1)})
    finally:
        await assistant.stop()
    return rows


def questions_of(kb: str) -> list[str]:
    found: dict[str, None] = {}
    for name in FILES:
        lines = (SAMPLE.parent / kb / name).read_text(encoding="utf-8").splitlines()
        found |= dict.fromkeys(json.loads(line)["question"] for line in lines if line.strip())
    return list(found)


def differences(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> list[str]:
    """Questions whose responses differ, each with the fields that do."""
    known = {(row["kb"], row["question"]): row for row in before}
    out = []
    for row in after:
        old = known.get((row["kb"], row["question"]))
        if old is None:
            out.append(f"{row['kb']}: {row['question']}: new")
            continue
        fields = [name for name in row["response"] if row["response"][name] != old["response"].get(name)]
        fields += ["shown"] if row["shown"] != old["shown"] else []
        if fields:
            out.append(f"{row['kb']}: {row['question']}: {', '.join(fields)}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", action="append", required=True, help="a base that is indexed and has questions")
    parser.add_argument("--data-dir", type=Path, default=Path("var"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--against", type=Path, help="what an earlier run wrote")
    parser.add_argument("--limit", type=int, help="questions of each base")
    chosen = parser.parse_args()
    tree = local(load_settings()).model_dump()
    rows: list[dict[str, Any]] = []
    for kb in chosen.kb:
        tree["knowledge"]["kb"], tree["storage"]["data_dir"] = kb, chosen.data_dir
        tree["models"]["threads"], tree["suggest"]["enabled"] = 1, False
        found = asyncio.run(responses(Settings.model_validate(tree), questions_of(kb)[: chosen.limit]))
        rows += [{"kb": kb, **row} for row in found]
    chosen.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    answered = [row["cpu_ms"] for row in rows if row["response"]["citations"]]
    summary: dict[str, Any] = {"n": len(rows), "answered": len(answered)}
    summary["cpu_ms_p50"] = round(statistics.median(answered), 1) if answered else None
    if chosen.against is not None:
        before = [json.loads(line) for line in chosen.against.read_text(encoding="utf-8").splitlines()]
        summary["different"] = differences(before, rows)
    sys.stdout.write(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    sys.exit(1 if summary.get("different") else 0)


if __name__ == "__main__":
    main()
