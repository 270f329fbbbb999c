"""Made-up runs, so that what is said about them can be checked by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval import record
from eval.record import Run, Status
from eval.runner import Evaluation

PROVENANCE: dict[str, Any] = {
    "handrail": "1.0",
    "git": {"revision": "a" * 40, "dirty": False},
    "code": "c" * 64,
    "python": "3.11",
    "libraries": {"numpy": "2"},
    "machine": {"cpus": 2},
    "seed": 1,
    "kb": {"name": "sample", "corpus": "d" * 64, "generation": "g", "articles": 4, "passages": 9},
    "models": {"embedder": "e"},
    "weights": {},
    "fitted": {},
    "prompts": {},
    "settings": {"retrieval": {"top_k": 5}},
}


def a_run(
    run_id: str, rows: Sequence[dict[str, Any]], command: str = "routing", *, sha256: str = "ab" * 32, **changes: Any
) -> Run:
    provenance = changes.pop("provenance", {})
    values: dict[str, Any] = {
        "id": run_id,
        "command": command,
        "started": datetime(2026, 3, 1, tzinfo=UTC),
        "seconds": 1.0,
        "file": Path("rows.jsonl"),
        "sha256": sha256,
        "limit": None,
        "bad": [],
        "provenance": {**PROVENANCE, **provenance},
        "evaluation": Evaluation(metrics={"n": len(rows), "accuracy": 0.5}, rows=list(rows)),
        "status": Status.FINISHED,
    }
    return Run(**{**values, **changes})


def held(run: Run) -> dict[str, Any]:
    """As it is read from disk."""
    found: dict[str, Any] = json.loads(json.dumps(record.record(run)))
    return found


def routed(bits: str, label: str = "answerable") -> list[dict[str, Any]]:
    """Routing rows, right where a bit is 1."""
    return [
        {
            "id": f"r{n}",
            "line": n,
            "label": label,
            "predicted": label if bit == "1" else "nonsense",
            "correct": bit == "1",
            "probability": 0.9,
            "ms": 1.0 * n,
        }
        for n, bit in enumerate(bits, 1)
    ]


def ranked(reciprocals: Sequence[float]) -> list[dict[str, Any]]:
    """Retrieval rows with these reciprocal ranks."""
    return [
        {"id": f"q{n}", "line": n, "hit@1": float(value == 1), "hit@5": float(value >= 0.2), "mrr": value}
        for n, value in enumerate(reciprocals, 1)
    ]
