"""Run records: one JSON file per run, enough to compare it with another."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.datasets import BadRow
from eval.runner import Evaluation
from handrail.errors import PermanentError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Run:
    """One command on one file."""

    id: str
    command: str
    started: datetime
    seconds: float
    file: Path
    sha256: str
    limit: int | None
    bad: list[BadRow]
    provenance: dict[str, Any]
    evaluation: Evaluation


def new_run_id(command: str, now: datetime, token: str) -> str:
    """Sorts by time; `token` keeps runs of the same second apart."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{command}-{token}"


def record(run: Run) -> dict[str, Any]:
    found = run.evaluation
    return {
        "format": FORMAT,
        "run_id": run.id,
        "command": run.command,
        "started": run.started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 2),
        "file": {"name": run.file.name, "sha256": run.sha256, "limit": run.limit},
        **run.provenance,
        "conditions": found.conditions,
        "metrics": found.metrics,
        "details": found.details,
        "intervals": found.intervals,
        "interrupted": found.interrupted,
        "bad_rows": [asdict(row) for row in run.bad],
        "notes": found.notes,
        "rows": found.rows,
    }


def write(run: Run, folder: Path) -> Path:
    """Whole or not at all. Raises PermanentError naming the folder when it cannot be written."""
    path = folder / f"{run.id}.json"
    part = path.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(record(run), indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise PermanentError(f"the run record {path} cannot be written: {error.strerror}; choose --runs") from None
    return path
