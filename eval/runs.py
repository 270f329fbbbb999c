"""The runs there are: listing them, and scoring the rows of one again."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval import command, record
from eval.datasets import BadRow, Case, load
from eval.journal import Journal
from eval.measures import headline
from eval.provenance import code, revision, without_secrets
from eval.record import RecordError, Run, Status, new_run_id
from eval.runner import Done
from eval.texts import asked
from handrail.settings import load_settings


def listed(folder: Path, name: str | None = None) -> tuple[list[dict[str, Any]], list[RecordError]]:
    """One entry per readable run, newest first, of command `name` only if given; and what could not be read."""
    entries: list[dict[str, Any]] = []
    damaged: list[RecordError] = []
    for held in record.records(folder):
        if isinstance(held, RecordError):
            damaged.append(held)
        elif name in (None, held["command"]):
            entries.append(_entry(folder, held))
    return entries, damaged


def _entry(folder: Path, held: Mapping[str, Any]) -> dict[str, Any]:
    git = held.get("git") or {}
    return {
        "run_id": held["run_id"],
        "command": held["command"],
        "started": held["started"],
        "status": _status(folder, held),
        "seconds": held["seconds"],
        "file": held["file"]["name"],
        "limit": held["file"]["limit"],
        "kb": (held.get("kb") or {}).get("name"),
        "n": held["metrics"].get("n", held["metrics"].get("n_turns")),
        "headline": headline(held["command"], held["metrics"]),
        "revision": git.get("revision"),
        "dirty": git.get("dirty"),
        "scored_from": held.get("scored_from"),
        "verdict": (held.get("experiment") or {}).get("verdict"),
    }


def _status(folder: Path, held: Mapping[str, Any]) -> str:
    """A run whose process was killed says `running`, and is not."""
    if held["status"] == Status.RUNNING and not record.in_work(folder, held["run_id"]):
        return Status.INTERRUPTED.value
    return str(held["status"])


def score_again(folder: Path, name: str, file: Path | None = None) -> Run:
    """A new run out of the stored rows of another, scored by today's code: only a new judge is asked.

    `file` gives other gold for the same questions. Raises RecordError where the rows are gone or ask something else.
    """
    held = record.read(folder, name)
    module = command.evaluator(held["command"])
    if not hasattr(module, "measure"):
        raise RecordError(f"`handrail eval {held['command']}` keeps no rows that could be scored again")
    source = record.rows_path(folder, held["run_id"])
    if not source.is_file():
        raise RecordError(f"the rows of run {held['run_id']} are gone ({source}); measure again")
    journal: Journal[Any] = Journal(source, module.RESULT)
    dataset = command.DATASETS[held["command"]]
    given = load(dataset, file) if file is not None else None
    gold = {case.id: case for case in given.cases} if given is not None else None
    done: Done[Any, Any] = Done(interrupted=held["status"] != Status.FINISHED)
    for _, entry in sorted(journal.entries.items()):
        case: Case = dataset.case.model_validate({**entry.case, "line": entry.line})
        done.add(_with_gold(case, gold, file) if gold is not None else case, entry)
    now = datetime.now(UTC)
    run_id = new_run_id(held["command"], now, secrets.token_hex(3))
    shutil.copyfile(source, record.rows_path(folder, run_id))
    root = command.HERE.parent
    judge = without_secrets(load_settings())["judge"]
    found = Run(
        id=run_id,
        command=held["command"],
        started=now,
        seconds=held["seconds"],
        file=file or Path(held["file"].get("path") or held["file"]["name"]),
        sha256=given.sha256 if given is not None else held["file"]["sha256"],
        limit=held["file"]["limit"],
        bad=given.bad if given is not None else [BadRow(**row) for row in held["bad_rows"]],
        provenance={
            **{key: value for key, value in held.items() if key not in record.OWN},
            "scored_from": held["run_id"],
            "scored_by": {
                "git": revision(root),
                "code": code(),
                "judge": judge,
            },
        },
        evaluation=module.score(command.judged(module, done)),
        status=Status(held["status"]) if held["status"] != Status.RUNNING else Status.INTERRUPTED,
        sittings=held["sittings"],
    )
    record.write(found, folder)
    return found


def _with_gold(case: Case, gold: Mapping[str, Case], file: Path | None) -> Case:
    new = gold.get(case.id)
    if new is None:
        raise RecordError(f"{file} has no row {case.id}: give a file with the same questions")
    if asked(new.model_dump(mode="json")) != asked(case.model_dump(mode="json")):
        raise RecordError(f"row {case.id} of {file} asks something else than was measured")
    return new.model_copy(update={"line": case.line})
