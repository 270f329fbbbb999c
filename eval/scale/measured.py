"""What has been measured so far: a file that an interrupted run goes on from."""

from __future__ import annotations

import json
from pathlib import Path

from eval.scale.apart import Figures


class Measured:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, dict[str, Figures]] = json.loads(path.read_text()) if path.is_file() else {}

    def has(self, index: str, count: int, stage: str) -> bool:
        return stage in self._held.get(f"{index} {count}", {})

    def keep(self, index: str, count: int, stage: str, figures: Figures) -> None:
        self._held.setdefault(f"{index} {count}", {})[stage] = figures
        self._save()

    def forget(self, index: str, count: int) -> None:
        self._held.pop(f"{index} {count}", None)
        self._save()

    def rows(self) -> list[tuple[str, int, dict[str, Figures]]]:
        """`(index, passages, figures by stage)`, by index and size."""
        found = ((key.split(), stages) for key, stages in self._held.items())
        return sorted(((index, int(count), stages) for (index, count), stages in found), key=lambda row: row[:2])

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self._path.with_suffix(".part")
        scratch.write_text(json.dumps(self._held, indent=1))
        scratch.replace(self._path)
