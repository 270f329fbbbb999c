"""Evaluation files: JSON lines, one frozen spec per kind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handrail.errors import PermanentError

SAMPLE = Path(__file__).parent / "sample"


class DatasetError(PermanentError):
    """An evaluation file that cannot be used at all; the message names it and says why."""


class Case(BaseModel):
    """One row of an evaluation file; fields it does not name are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(coerce_numbers_to_str=True)]
    """As in the file; `line-N` where the row has none."""
    line: int


C = TypeVar("C", bound=Case)


@dataclass(frozen=True, slots=True)
class BadRow:
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Dataset(Generic[C]):
    """A kind of evaluation file, and the one that ships."""

    name: str
    case: type[C]
    default: Path
    gold: str
    """The field that says what is right; rows without it are run, and not scored."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[C]):
    path: Path
    sha256: str
    cases: list[C] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)


def load(dataset: Dataset[C], path: Path, limit: int | None = None) -> Loaded[C]:
    """The first `limit` usable rows of `path`, and every row before them that is not usable.

    Raises DatasetError when the file cannot be read or holds no usable row.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8 JSON lines") from None
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror or error}; name a file of JSON lines with --file") from None
    loaded: Loaded[C] = Loaded(path, hashlib.sha256(data).hexdigest())
    for item in _rows(dataset, text):
        if isinstance(item, BadRow):
            loaded.bad.append(item)
        else:
            loaded.cases.append(item)
            if limit is not None and len(loaded.cases) == limit:
                break
    if not loaded.cases:
        why = f"line {loaded.bad[0].line}: {loaded.bad[0].why}" if loaded.bad else "the file is empty"
        raise DatasetError(f"{path}: no usable row for {dataset.name}: {why}")
    return loaded


def _rows(dataset: Dataset[C], text: str) -> Iterator[C | BadRow]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _row(dataset, number, line)


def _row(dataset: Dataset[C], number: int, line: str) -> C | BadRow:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        return BadRow(number, f"not JSON: {error}")
    if not isinstance(row, dict):
        return BadRow(number, f"not a JSON object but {type(row).__name__}")
    row_id = row.get("id")
    try:
        return dataset.case.model_validate(
            {**row, "line": number, "id": f"line-{number}" if row_id is None else row_id}
        )
    except ValidationError as error:
        return BadRow(number, "; ".join(_explain(item["loc"], item["msg"], item["input"]) for item in error.errors()))


def _explain(loc: tuple[int | str, ...], message: str, given: object) -> str:
    where = ".".join(str(part) for part in loc)
    if message == "Field required":
        return f"{where} is missing"
    shown = repr(given)
    return f"{where}: {message} (given: {shown if len(shown) <= 80 else shown[:77] + '...'})"
