"""Evaluation files: JSON lines, one frozen spec per kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from eval.datasets.lines import BadRow, DatasetError, Line, read_lines

__all__ = ["SAMPLE", "Articles", "BadRow", "Case", "Category", "Dataset", "DatasetError", "Loaded", "load", "usable"]

SAMPLE = Path(__file__).parent / "sample"


class Case(BaseModel):
    """One row of an evaluation file; fields it does not name are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(coerce_numbers_to_str=True)]
    """As in the file; `line-N` where the row has none."""
    line: int


def _several(value: object) -> object:
    """`null` is none, one text is a list of one, and blank texts name nothing."""
    items = () if value is None else (value,) if isinstance(value, str | int) else value
    if isinstance(items, list | tuple):
        return tuple(item for item in items if not (item is None or (isinstance(item, str) and not item.strip())))
    return items


Articles = Annotated[tuple[Annotated[str, Field(coerce_numbers_to_str=True)], ...], BeforeValidator(_several)]
"""Ids of articles, or what else names one (see `eval.datasets.articles`); empty where nobody has said."""


def _named(value: object) -> object:
    """Whatever a file keeps under that name: what is no text or number names no category."""
    return str(value).strip() or None if isinstance(value, str | int) else None


Category = Annotated[
    str | None, BeforeValidator(_named), Field(validation_alias=AliasChoices("category", "kind", "bucket"))
]
"""What kind of row it is, by any of these names; figures are then shown for each kind, too."""

C = TypeVar("C", bound=Case)


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
    notes: list[str] = field(default_factory=list)
    """What was changed in reading; nothing was left out."""


def load(dataset: Dataset[C], path: Path, limit: int | None = None) -> Loaded[C]:
    """The first `limit` usable rows of `path`, and every row before them that is not usable.

    Raises DatasetError when the file cannot be read or holds no usable row.
    """
    digest, lines = read_lines(path)
    return usable(dataset, path, digest, lines, limit)


def usable(
    dataset: Dataset[C], path: Path, sha256: str, lines: Iterable[Line | BadRow], limit: int | None = None
) -> Loaded[C]:
    """The same of rows that were read already. Of rows with one id the later ones get their line number behind it."""
    loaded: Loaded[C] = Loaded(path, sha256)
    seen: dict[str, int] = {}
    for item in lines:
        row = item if isinstance(item, BadRow) else _row(dataset, item)
        if isinstance(row, BadRow):
            loaded.bad.append(row)
            continue
        if row.id in seen:
            renamed = f"{row.id}-line-{row.line}"
            loaded.notes.append(f"line {row.line}: the id {row.id!r} is also that of line {seen[row.id]}: {renamed!r}")
            row = row.model_copy(update={"id": renamed})
        seen[row.id] = row.line
        loaded.cases.append(row)
        if limit is not None and len(loaded.cases) == limit:
            break
    if not loaded.cases:
        why = f"line {loaded.bad[0].line}: {loaded.bad[0].why}" if loaded.bad else "the file is empty"
        raise DatasetError(f"{path}: no usable row for {dataset.name}: {why}")
    return loaded


def _row(dataset: Dataset[C], line: Line) -> C | BadRow:
    row_id = line.value.get("id")
    absent = row_id is None or (isinstance(row_id, str) and not row_id.strip())
    try:
        return dataset.case.model_validate(
            {**line.value, "line": line.number, "id": f"line-{line.number}" if absent else row_id}
        )
    except ValidationError as error:
        why = "; ".join(_explain(item["loc"], item["msg"], item["input"]) for item in error.errors())
        return BadRow(line.number, why)


def _explain(loc: tuple[int | str, ...], message: str, given: object) -> str:
    where = ".".join(str(part) for part in loc)
    if message == "Field required":
        return f"{where} is missing"
    shown = repr(given)
    return f"{where}: {message} (given: {shown if len(shown) <= 80 else shown[:77] + '...'})"
