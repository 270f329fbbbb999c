"""Run records: `<run id>.json` says what was measured, how, and what came out; `<run id>.rows.jsonl` holds each row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from eval.datasets import BadRow
from eval.runner import Evaluation
from eval.spending import NOTHING, Spent
from handrail.errors import PermanentError, RetryableError

FORMAT = 2
OLDEST = 2
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,119}")


OWN = {
    "format", "run_id", "status", "command", "started", "seconds", "sittings", "file", "conditions", "metrics",
    "details", "intervals", "interrupted", "bad_rows", "notes", "rows", "spent",
}  # fmt: skip
"""Parts of a record that are of the run itself; the others are its provenance."""


class RecordError(PermanentError):
    """A run record that is missing or cannot be read; the message names it and says what to do."""


class RunBusy(RetryableError):
    """Another process works on the same run."""


class Status(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Run:
    """One command on one file."""

    id: str
    command: str
    started: datetime
    seconds: float
    """Of all sittings together."""
    file: Path
    sha256: str
    limit: int | None
    bad: list[BadRow]
    provenance: dict[str, Any]
    evaluation: Evaluation
    status: Status = Status.FINISHED
    sittings: int = 1
    spent: Spent = NOTHING
    """On language models, by its rows, whenever they were measured."""
    judging: Spent = NOTHING
    """By rating them, in all sittings together."""


def new_run_id(command: str, now: datetime, token: str) -> str:
    """Sorts by time; `token` keeps runs of the same second apart."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{command}-{token}"


def record(run: Run) -> dict[str, Any]:
    found = run.evaluation
    return {
        "format": FORMAT,
        "run_id": run.id,
        "status": run.status.value,
        "command": run.command,
        "started": run.started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 2),
        "sittings": run.sittings,
        "file": {"name": run.file.name, "path": str(run.file.resolve()), "sha256": run.sha256, "limit": run.limit},
        **run.provenance,
        "conditions": found.conditions,
        "metrics": found.metrics,
        "details": found.details,
        "intervals": found.intervals,
        "interrupted": found.interrupted,
        "bad_rows": [asdict(row) for row in run.bad],
        "notes": found.notes,
        "rows": found.rows,
        "spent": {"rows": asdict(run.spent), "judge": asdict(run.judging)},
    }


def run_of(held: Mapping[str, Any]) -> Run:
    """A stored run as it was, but for the parts that only its making needed."""
    found = {
        name: held[name] for name in ("metrics", "details", "intervals", "rows", "interrupted", "conditions", "notes")
    }
    return Run(
        id=held["run_id"],
        command=held["command"],
        started=datetime.fromisoformat(held["started"]),
        seconds=held["seconds"],
        file=Path(held["file"]["path"]),
        sha256=held["file"]["sha256"],
        limit=held["file"]["limit"],
        bad=[BadRow(**row) for row in held["bad_rows"]],
        provenance={name: part for name, part in held.items() if name not in OWN},
        evaluation=Evaluation(**found),
        status=Status(held["status"]),
        sittings=held["sittings"],
        spent=spent_in(held, "rows"),
        judging=spent_in(held, "judge"),
    )


def spent_in(held: Mapping[str, Any], by: str) -> Spent:
    """Records of earlier versions do not say."""
    return Spent(**held["spent"][by]) if "spent" in held else NOTHING


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


def rows_path(folder: Path, run_id: str) -> Path:
    return folder / f"{run_id}.rows.jsonl"


def read(folder: Path, name: str) -> dict[str, Any]:
    """The record of a run, by its id, a part of one, `latest`, a command, or a path.

    Raises RecordError when there is none, several fit, or it is damaged.
    """
    path = find(folder, name)
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"the run record {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"the run record {path} is damaged ({str(error).splitlines()[0]}); run it again") from None
    if not isinstance(held, dict) or not isinstance(held.get("format"), int):
        raise RecordError(f"{path} is not a run record")
    if not OLDEST <= held["format"] <= FORMAT:
        raise RecordError(f"the run record {path} has format {held['format']}, and this version reads up to {FORMAT}")
    missing = [key for key in ("run_id", "command", "file", "metrics", "rows") if key not in held]
    if missing:
        raise RecordError(f"the run record {path} is damaged: it has no {', '.join(missing)}")
    return held


def find(folder: Path, name: str) -> Path:
    if name.endswith(".json"):
        path = Path(name)
        if path.is_file():
            return path
        raise RecordError(f"there is no run record {path}")
    if not RUN_ID.fullmatch(name):
        raise RecordError(f"{name!r} is not a run id: see `handrail eval runs`")
    known = ids(folder)
    found = [i for i in known if i == name] or _newest(name, known) or [i for i in known if name in i]
    if len(found) == 1:
        return folder / f"{found[0]}.json"
    if found:
        raise RecordError(f"{len(found)} runs in {folder} have {name!r} in their ids: {', '.join(found[:5])} …")
    raise RecordError(
        f"there is no run {name!r} in {folder}: see `handrail eval runs`, or choose the folder with --runs"
    )


def _newest(name: str, known: list[str]) -> list[str]:
    """`latest`, or the name of a command; `~2` behind it is the second before that."""
    kind, _, back = name.partition("~")
    made = known if kind == "latest" else [i for i in known if i.split("-")[1:2] == [kind]]
    number = int(back) if back.isdecimal() else 0
    return made[number : number + 1]


def ids(folder: Path) -> list[str]:
    """Newest first."""
    return sorted((path.stem for path in folder.glob("*.json")), reverse=True)


def records(folder: Path) -> Iterator[dict[str, Any] | RecordError]:
    """Newest first; one that cannot be read does not hide the others."""
    for run_id in ids(folder):
        try:
            yield read(folder, run_id)
        except RecordError as error:
            yield error


def lock(folder: Path, run_id: str) -> FileLock:
    """Held while the run is worked on. Raises RunBusy when another process does."""
    folder.mkdir(parents=True, exist_ok=True)
    held = FileLock(folder / f"{run_id}.lock", blocking=False)
    try:
        held.acquire()
    except Timeout:
        raise RunBusy(f"run {run_id} is being worked on by another process") from None
    return held


def unlock(held: FileLock) -> None:
    """Leaves no file behind."""
    held.release()
    Path(held.lock_file).unlink(missing_ok=True)


def forget_empty(folder: Path, run_id: str) -> None:
    """Of a run that broke off before its first row nothing is kept."""
    path, rows = folder / f"{run_id}.json", rows_path(folder, run_id)
    held = json.loads(path.read_text(encoding="utf-8"))
    if held["status"] == Status.RUNNING and not (rows.is_file() and rows.stat().st_size):
        path.unlink()
        rows.unlink(missing_ok=True)


def in_work(folder: Path, run_id: str) -> bool:
    """Whether a living process holds the run; one that was killed holds nothing."""
    path = folder / f"{run_id}.lock"
    if not path.exists():
        return False
    try:
        lock(folder, run_id).release()
    except RunBusy:
        return True
    return False
