"""Checked questions of one generation of a knowledge base, on disk beside its other fitted files."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from handrail.answer.suggest import Checked

log = logging.getLogger(__name__)

FILE = "suggestions.json"


class Kept:
    """`made_for` names the generation and what else the checks depend on; what was kept for another is not read."""

    def __init__(self, folder: Path, made_for: str) -> None:
        self._file = folder / FILE
        self._made_for = made_for
        self.articles: dict[str, tuple[Checked, ...]] = {}

    def read(self) -> None:
        """What this and other processes have kept so far; a damaged file counts as empty."""
        try:
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            if stored["made_for"] == self._made_for:
                rows = {article: tuple(map(_checked, found)) for article, found in stored["articles"].items()}
                self.articles = {**rows, **self.articles}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return

    def keep(self, article: str, found: Sequence[Checked]) -> None:
        """Write beside, then rename. Where the disk cannot be written, this process still knows it."""
        self.articles[article] = tuple(found)
        self.read()
        rows = {name: [asdict(row) for row in kept] for name, kept in self.articles.items()}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle, scratch = tempfile.mkstemp(dir=self._file.parent, prefix=".suggestions-")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump({"made_for": self._made_for, "articles": rows}, out, ensure_ascii=False)
            Path(scratch).replace(self._file)
        except OSError as error:
            log.warning("can't store follow-up questions on disk: %s", error)


def _checked(row: dict[str, object]) -> Checked:
    passages = row["passages"]
    assert isinstance(passages, list)  # noqa: S101
    return Checked(str(row["text"]), tuple(map(str, passages)), bool(row["title"]))
