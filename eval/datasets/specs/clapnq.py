"""ClapNQ, development split: real queries, each beside a passage that looks right and answers only half of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from eval.datasets.held import corpus_of, shaped
from eval.datasets.lines import BadRow, Line, read_lines
from eval.datasets.spec import Rows, Source, Spec, find, numbered
from handrail.knowledge import Article

FILES = {"answerable.jsonl": True, "unanswerable.jsonl": False}


def held(source: Source) -> list[dict[str, Any]]:
    """In the order of ids, so that the first rows are of both kinds."""
    found: list[dict[str, Any]] = []
    for name, answerable in FILES.items():
        path = find(source, (name, f"*_{name}"))
        rows = [line.value for line in read_lines(path)[1] if isinstance(line, Line)]
        found += shaped(str(path), partial(_rows, rows, answerable))
    return sorted(found, key=lambda row: str(row["id"]))


def _rows(rows: list[Any], answerable: bool) -> list[dict[str, Any]]:
    return [_row(row, answerable) for row in rows]


def _row(row: Any, answerable: bool) -> dict[str, Any]:
    passage = row["passages"][0]
    return {
        "id": str(row["id"]),
        "question": row["input"],
        "answerable": answerable,
        "title": passage["title"],
        "passage": passage["text"],
    }


def refusals(source: Source) -> list[Line | BadRow]:
    return numbered(
        [
            {
                "id": row["id"],
                "question": row["question"],
                "should_refuse": not row["answerable"],
                "expected_doc": row["id"] if row["answerable"] else None,
            }
            for row in held(source)
        ]
    )


def articles(source: Source) -> list[Article]:
    return [Article(row["id"], row["title"], row["passage"], "") for row in held(source)]


LICENCE = "Apache-2.0, passages CC BY-SA 3.0"
WHERE = "github.com/primeqa/clapnq"

SPECS = (
    Spec(
        name="clapnq",
        title="ClapNQ, development split: questions over the pool of their passages",
        licence=LICENCE,
        source=WHERE,
        kb="eval-clapnq",
        rows={"refusal": Rows(refusals)},
        corpus=corpus_of(articles),
        needs_data=True,
    ),
    Spec(
        name="clapnq-in-hand",
        title="ClapNQ, development split: each question beside its own passage",
        licence=LICENCE,
        source=WHERE,
        kb="sample",
        rows={"answerable": Rows(lambda source: numbered(held(source)))},
        needs_data=True,
    ),
)
