"""Finished sections on disk, so that an interrupted run goes on where it stopped and nothing is written twice."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from handrail.report import Written


class Journal:
    """One JSON line per section behind a line that says what they were made with; another make starts afresh."""

    def __init__(self, path: Path, made_with: str, *, fresh: bool = False) -> None:
        self._path = path
        self._head = json.dumps({"made_with": made_with})
        self._held = {} if fresh else self._read()
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [self._head, *(part.model_dump_json() for part in self._held.values())]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def __len__(self) -> int:
        return len(self._held)

    def held(self, heading: str) -> Written | None:
        return self._held.get(heading)

    def keep(self, part: Written) -> None:
        """What failed is not kept: it is tried again."""
        if not part.failed:
            self._held[part.heading] = part
            with self._path.open("a", encoding="utf-8") as file:
                file.write(part.model_dump_json() + "\n")

    def _read(self) -> dict[str, Written]:
        """A line that an interruption cut off is left out."""
        held: dict[str, Written] = {}
        try:
            head, *lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return held
        for line in lines if head == self._head else ():
            try:
                part = Written.model_validate_json(line)
            except ValidationError:
                continue
            held[part.heading] = part
        return held
