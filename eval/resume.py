"""Going on with a run that was interrupted, only where nothing changed that could change a number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from eval import record
from eval.record import RecordError, Status
from eval.report import flat
from handrail.errors import PermanentError

UNRELATED = ("git.", "settings.storage.", "settings.observe.", "settings.limits.", "settings.server.",
             "settings.llm.usd_per_million", "settings.judge.usd_per_million")  # fmt: skip
"""Parts of the provenance that no number depends on; `code` stands for the revision and what was changed since."""
NOT_OF_ROWS = ("file.limit", "settings.judge.")
"""What leaves each measured row as it is."""
SHOWN = 6


class NotTheSame(PermanentError):
    """A run cannot go on, because something that could change its numbers is not what it was."""


def identity(command: str, sha256: str, limit: int | None, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Everything two sittings of one run must share, flat."""
    tree = json.loads(json.dumps({"command": command, "file": {"sha256": sha256, "limit": limit}, **provenance}))
    known = dict(flat(tree))
    return {name: value for name, value in known.items() if not name.startswith(UNRELATED)}


def identity_of(held: Mapping[str, Any], provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The same of a stored record, over the parts that `provenance` has today."""
    parts = {name: held.get(name) for name in provenance}
    return identity(held["command"], held["file"]["sha256"], held["file"].get("limit"), parts)


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """One line per part that is not the same."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return [f"{name}: {shown(before.get(name))} then, {shown(now.get(name))} now" for name in names]


def shown(value: object) -> str:
    """Hashes by their beginning; what is absent as a dash."""
    if value is None:
        return "–"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:12]}…"


def check(held: Mapping[str, Any], command: str, now: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
    """Raises NotTheSame with every difference, and RecordError where there is nothing left to do."""
    run_id = held["run_id"]
    if held["command"] != command:
        raise NotTheSame(f"run {run_id} is of `handrail eval {held['command']}`, not of {command}")
    if held.get("status") == Status.FINISHED or "status" not in held:
        raise RecordError(f"run {run_id} is finished; `handrail eval score {run_id}` scores its rows again")
    changed = differences(identity_of(held, provenance), now)
    if changed:
        more = f"\n  and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        raise NotTheSame(
            f"run {run_id} cannot go on, since rows measured before and after would not belong together:\n  "
            + "\n  ".join(changed[:SHOWN])
            + more
            + "\nStart a new run, or put back what changed."
        )


def unfinished(folder: Path, now: Mapping[str, Any], provenance: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Interrupted runs that could go on, newest first, and how many rows each has."""
    for held in record.records(folder):
        if isinstance(held, RecordError) or held.get("status", Status.FINISHED) == Status.FINISHED:
            continue
        if differences(identity_of(held, provenance), now) or record.in_work(folder, held["run_id"]):
            continue
        path = record.rows_path(folder, held["run_id"])
        rows = path.read_bytes().count(b"\n") if path.is_file() else 0
        if rows:
            yield held["run_id"], rows


def finished(folder: Path, now: Mapping[str, Any], provenance: Mapping[str, Any]) -> dict[str, Any] | None:
    """The newest whole run of just this, every row of which could be measured."""
    for held in record.records(folder):
        if isinstance(held, RecordError) or held.get("status") != Status.FINISHED or held.get("scored_from"):
            continue
        failed = held["bad_rows"] or any("error" in row for row in held["rows"])
        if not failed and not differences(identity_of(held, provenance), now):
            return held
    return None


def rows_before(folder: Path, now: Mapping[str, Any], provenance: Mapping[str, Any]) -> Path | None:
    """Rows of the fullest run of the same, whatever its limit and its judge."""

    def of_rows(known: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in known.items() if not name.startswith(NOT_OF_ROWS)}

    paths = [
        record.rows_path(folder, held["run_id"])
        for held in record.records(folder)
        if not isinstance(held, RecordError)
        and not differences(of_rows(identity_of(held, provenance)), of_rows(now))
        and not record.in_work(folder, held["run_id"])
    ]
    return max((path for path in paths if path.is_file()), key=lambda path: path.stat().st_size, default=None)


def started(held: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(held["started"])
