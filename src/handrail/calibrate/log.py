"""Observations on disk as they are made, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from handrail.calibrate import Asked, Observed

Key = tuple[str, tuple[str, ...], bool, tuple[str, ...]]


class ObservationLog:
    """One JSON line per observation behind a line that says what they were made with; another make starts afresh."""

    def __init__(self, path: Path, made_with: str) -> None:
        self._path = path
        self._made_with = made_with
        self._held = self._read()

    async def observe(
        self,
        asked: Sequence[Asked],
        work: Callable[[Asked], Awaitable[Observed]],
        advance: Callable[[], None],
    ) -> list[Observed]:
        """In the order asked; only what is not on disk yet is worked on."""
        found = []
        with self._path.open("a", encoding="utf-8") as file:
            for item in asked:
                known = self._held.get(_key(item))
                if known is None:
                    known = self._held[_key(item)] = await work(item)
                    file.write(json.dumps(asdict(known), ensure_ascii=False, default=float) + "\n")
                    file.flush()
                found.append(replace(known, asked=item))
                advance()
        return found

    def _read(self) -> dict[Key, Observed]:
        held: dict[Key, Observed] = {}
        try:
            head, *lines = self._path.read_text(encoding="utf-8").split("\n")
            if json.loads(head) == {"made_with": self._made_with}:
                held = {_key(row.asked): row for row in map(_observed, map(json.loads, lines[:-1]))}
                if lines[-1] == "":
                    return held
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self._path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{"made_with": self._made_with}, *map(asdict, held.values())]
        text = "".join(json.dumps(row, ensure_ascii=False, default=float) + "\n" for row in rows)
        self._path.write_text(text, encoding="utf-8")
        return held


def _observed(row: dict[str, Any]) -> Observed:
    """One line of a log. Raises KeyError or TypeError for anything else."""
    asked = {**row["asked"], **{key: tuple(row["asked"][key]) for key in ("article_ids", "without")}}
    return Observed(Asked(**asked), row["signals"], row["right"])


def _key(asked: Asked) -> Key:
    return asked.question, asked.article_ids, asked.answerable, asked.without
