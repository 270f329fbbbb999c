"""A dataset as a frozen spec: where rows and corpus come from, how they are read, and what they must hash to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.datasets.lines import BadRow, DatasetError, Line, read_lines
from handrail.knowledge import Loader
from handrail.settings import Settings

Row = Mapping[str, Any]
Source = Path | None
"""A local copy; None for where the dataset lives: this repository, or the Hub."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows for one command."""

    load: Callable[[Source], list[Line | BadRow]]
    """Raises DatasetError when the source does not hold them."""
    map: Callable[[Row], Row] = dict
    """From the dataset's own fields to those of the command's files."""
    n: int | None = None
    sha256: str | None = None
    """Of the loaded rows (`rows_sha256`); None where the repository itself pins them, or nobody has pinned them yet."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The articles that questions are asked of."""

    loader: Callable[[Source, Settings], Loader]
    digest: Callable[[Source, Settings], tuple[int, str]]
    """How many articles or files, and sha256 over them, before they are cut or changed in any way."""
    n: int | None = None
    sha256: str | None = None
    own: bool = True
    """False for an operator's knowledge base, which an evaluation must never write to."""


@dataclass(frozen=True, slots=True)
class Spec:
    name: str
    title: str
    licence: str
    source: str
    kb: str
    """The knowledge base its corpus is indexed into when `--kb` names no other."""
    rows: Mapping[str, Rows] = field(default_factory=dict)
    """By command."""
    corpus: Corpus | None = None
    caveat: str | None = None
    """Printed with every result."""
    needs_data: bool = False
    """Whether `--data` must name a local copy."""


def rows_sha256(rows: Sequence[Line | BadRow]) -> str:
    """The same for the same rows, whether they came from the Hub or from a file."""
    held = hashlib.sha256()
    for row in rows:
        value = dict(row.value) if isinstance(row, Line) else {"bad": row.why}
        held.update(json.dumps(value, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return held.hexdigest()


def of_file(path: Path) -> Callable[[Source], list[Line | BadRow]]:
    """Rows that ship in this repository."""
    return lambda _: read_lines(path)[1]


def of_copy(*names: str) -> Callable[[Source], list[Line | BadRow]]:
    """Rows of the first file of these names in the local copy, or of the copy itself when it is one file."""
    return lambda source: read_lines(find(source, names))[1]


def find(source: Source, names: Sequence[str]) -> Path:
    """Raises DatasetError naming what was looked for."""
    if source is None:
        raise DatasetError(f"name the folder that holds {names[0]} with --data")
    if source.is_file():
        return source
    found = next((path for name in names for path in sorted(source.rglob(name)) if path.is_file()), None)
    if found is None:
        raise DatasetError(f"{source}: holds no {' or '.join(names)}")
    return found


def numbered(values: Sequence[Row]) -> list[Line | BadRow]:
    return [Line(number, value) for number, value in enumerate(values, 1)]
