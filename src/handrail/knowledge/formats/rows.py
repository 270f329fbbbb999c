"""Questions and answers as the rows of a table: CSV, or JSON lines."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.formats import Document
from handrail.knowledge.metadata import facets
from handrail.knowledge.publication import NotClear, held_back
from handrail.text.markdown import slug

NAMES = {
    "question": ("question", "title", "q", "query", "subject", "name"),
    "answer": ("answer", "contents", "content", "body", "text", "a", "response", "reply", "description"),
    "id": ("id", "_id", "key"),
    "url": ("url", "link", "permalink"),
}
"""What a column may be called, the likeliest first."""
TABLES = frozenset({".csv", ".tsv"})
DELIMITERS = ",;\t|"
LONGEST_CELL = 1_000_000
ID_CHARS = 100
MOST_SHOWN = 12
"""Columns that an error names."""


class Rows:
    suffixes = TABLES | {".jsonl", ".ndjson"}

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        table = document.path.suffix.lower() in TABLES
        yield from articles(document, (_table if table else _lines)(document.text()))


def articles(document: Document, rows: Iterable[tuple[str, Any]]) -> Iterator[Article | Rejected | Unpublished]:
    """`rows` are where each stands and its values by column. Raises KnowledgeError where columns are not found."""
    found = False
    for where, row in rows:
        place = f"{document.path} {where}"
        if not isinstance(row, Mapping):
            yield Rejected(place, row if isinstance(row, str) else "not a JSON object")
            continue
        said = {str(name).strip().casefold(): value for name, value in row.items() if name is not None}
        if not found and not {"question", "answer"} <= _columns(said).keys():
            if document.path.suffix.lower() in TABLES:
                raise KnowledgeError(f"{where}: {_missing(said)}")
            # JSON is used for many things besides articles.
            yield Skipped(place, _missing(said))
            return
        found = True
        yield from _article(document, place, said)
    if not found:
        raise KnowledgeError("holds no rows")


def _article(document: Document, place: str, said: Mapping[str, Any]) -> Iterator[Article | Rejected | Unpublished]:
    columns = _columns(said)
    values = {key: _text(said[name]) for key, name in columns.items()}
    question, answer = values.get("question", ""), values.get("answer", "")
    if not question or not answer:
        yield Rejected(place, f"no {'answer' if question else 'question'}")
        return
    id_ = f"{document.id}:{values.get('id') or _named(question)}"
    try:
        if why := held_back(said):
            yield Unpublished(id_, place, why)
            return
        yield Article(id_, " ".join(question.split()), answer, values.get("url", ""), facets(said))
    except NotClear as error:
        yield Rejected(place, str(error))
        yield Unpublished(id_, place, "unclear audience")
    except KnowledgeError as error:
        yield Rejected(place, str(error))


def _columns(said: Mapping[str, Any]) -> dict[str, str]:
    """The row's name of each column that is known."""
    known = {key: next((name for name in names if name in said), None) for key, names in NAMES.items()}
    return {key: name for key, name in known.items() if name is not None}


def _missing(said: Mapping[str, Any]) -> str:
    lacking = [key for key in ("question", "answer") if key not in _columns(said)]
    wanted = " and ".join(f"a column for the {key} ({', '.join(NAMES[key])})" for key in lacking)
    named = ", ".join(name[:40] for name in list(said)[:MOST_SHOWN])
    more = f" and {len(said) - MOST_SHOWN} more" if len(said) > MOST_SHOWN else ""
    return f"lacks {wanted}; it has: {named}{more}"


def _named(question: str) -> str:
    """An id that stays when rows are added elsewhere."""
    whole = slug(question)
    if whole and len(whole) <= ID_CHARS:
        return whole
    return f"{whole[:ID_CHARS]}-{hashlib.sha256(question.encode(errors='replace')).hexdigest()[:8]}"


def _text(value: Any) -> str:
    if value is None or isinstance(value, list | dict):
        return ""
    return str(value).strip()


def _table(text: str) -> Iterator[tuple[str, Any]]:
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield f"line {reader.line_num}", row
    except csv.Error as error:
        yield f"line {reader.line_num}", f"not readable as a table from here on: {error}"


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number}", _json(line)


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
