"""What was measured, row by row, on disk as it comes: an interruption costs the row in work and no other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from eval.datasets import Case
from eval.spending import NOTHING, Spent
from handrail.errors import PermanentError

R = TypeVar("R")


class JournalDamaged(PermanentError):
    """Stored rows that cannot be read; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Entry(Generic[R]):
    """One row as it was measured. Exactly one of `result`, `not_applicable` and `error` is set."""

    line: int
    result: R | None = None
    not_applicable: str | None = None
    error: str | None = None
    case: Mapping[str, Any] = field(default_factory=dict)
    """The row of the evaluation file; only where it was read from disk."""
    spent: Spent = NOTHING
    """On language models."""
    seconds: float = 0.0


class Journal(Generic[R]):
    """JSON lines, one per measured row, written through at once. `kind` is the type of a row's result."""

    def __init__(self, path: Path, kind: Any) -> None:
        self.path = path
        self._adapter: TypeAdapter[R] = TypeAdapter(kind)
        self.entries: dict[int, Entry[R]] = {entry.line: entry for entry in self._read()} if path.exists() else {}
        """By line of the evaluation file; of a row measured twice the later one."""
        self._file: Any = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        _drop_half_a_line(self.path)
        self._file = self.path.open("a", encoding="utf-8")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def kept(self, case: Case) -> Entry[R] | None:
        """What an earlier sitting measured; failures are tried again."""
        entry = self.entries.get(case.line)
        return entry if entry is not None and entry.error is None else None

    def keep(self, case: Case, entry: Entry[R]) -> None:
        """Write one row; it is on its way to the disk when this returns."""
        self.entries[case.line] = entry
        row: dict[str, Any] = {"line": case.line, "case": case.model_dump(mode="json")}
        if entry.spent.requests:
            row["spent"] = asdict(entry.spent)
        row["seconds"] = round(entry.seconds, 4)
        if entry.error is not None:
            row["error"] = entry.error
        elif entry.not_applicable is not None:
            row["not_applicable"] = entry.not_applicable
        else:
            row["result"] = self._adapter.dump_python(cast(R, entry.result), mode="json")
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._file.flush()

    def _read(self) -> Iterator[Entry[R]]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise JournalDamaged(f"the rows {self.path} cannot be read: {error.strerror}") from None
        for number, line in enumerate(lines[:-1], 1):
            # What stands behind the last line break was cut off in writing; that row is measured again.
            yield self._entry(number, line)

    def _entry(self, number: int, line: bytes) -> Entry[R]:
        try:
            row = json.loads(line)
            result = self._adapter.validate_python(row["result"]) if "result" in row else None
            spent = Spent(**row["spent"]) if "spent" in row else NOTHING
            entry: Entry[R] = Entry(
                line=int(row["line"]),
                result=result,
                not_applicable=row.get("not_applicable"),
                error=row.get("error"),
                case=dict(row["case"]),
                spent=spent,
                seconds=float(row.get("seconds", 0.0)),
            )
            if sum(name in row for name in ("result", "not_applicable", "error")) != 1:
                raise ValueError("a row is measured, not applicable, or failed")
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
            why = str(error).splitlines()[0]
            raise JournalDamaged(
                f"{self.path} line {number} is damaged or of another version ({why}): remove that line to measure "
                "its row again, or start a new run"
            ) from None
        return entry


def _drop_half_a_line(path: Path) -> None:
    if not path.exists():
        return
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        path.write_bytes(data[: data.rfind(b"\n") + 1])
