"""MTRAG-UN (IBM): the last turn of long conversations, over the pool of passages that any of them was given."""

from __future__ import annotations

from typing import Any

from eval.datasets.held import corpus_of, shaped, untitled
from eval.datasets.lines import BadRow, DatasetError, Line, read_lines
from eval.datasets.spec import Rows, Source, Spec, find, numbered
from handrail.knowledge import Article

FILE = "reference.jsonl"
REFUSED = {"UNANSWERABLE", "UNDERSPECIFIED"}
"""Of the second kind a question back is wanted, which counts as a refusal."""


def held(source: Source) -> list[Any]:
    path = find(source, (FILE,))
    rows = [line.value for line in read_lines(path)[1] if isinstance(line, Line)]
    if not rows:
        raise DatasetError(f"{path}: no rows")
    return rows


def refusals(source: Source) -> list[Line | BadRow]:
    rows = held(source)
    return numbered(shaped(FILE, lambda: [_row(row) for row in rows]))


def retrieval(source: Source) -> list[Line | BadRow]:
    """The last messages that passages answer, without what was said before them."""
    rows = held(source)

    def answered() -> list[dict[str, Any]]:
        told = (_row(row) for row in rows)
        return [
            {"id": row["id"], "question": row["question"], "article_ids": row["alt_docs"]}
            for row in told
            if row["alt_docs"]
        ]

    return numbered(shaped(FILE, answered))


def _row(row: Any) -> dict[str, Any]:
    *before, last = row["input"]
    kind = row["answerability"]
    kind = kind[0] if isinstance(kind, list) else kind
    refuse = kind in REFUSED
    return {
        "id": row["task_id"],
        "question": last["text"],
        "before": _exchanges(before),
        "should_refuse": refuse,
        "alt_docs": [] if refuse else [context["document_id"] for context in row["contexts"]],
        "bucket": str(kind).lower(),
    }


def _exchanges(before: list[Any]) -> list[dict[str, str]]:
    """Each message of the visitor with the reply behind it."""
    found: list[dict[str, str]] = []
    for said in before:
        if said["speaker"] == "user":
            found.append({"question": said["text"], "answer": ""})
        elif found:
            found[-1]["answer"] = said["text"]
    return found


def articles(source: Source) -> list[Article]:
    contexts = {context["document_id"]: context for row in held(source) for context in row.get("contexts") or ()}
    return [untitled(name, context["text"]) for name, context in contexts.items()]


SPECS = (
    Spec(
        name="mtrag-un",
        title="MTRAG-UN: last turns, some of which nothing answers, over the pool of their passages",
        licence="Apache-2.0, passages of several licences",
        source="github.com/IBM/mt-rag-benchmark",
        kb="eval-mtrag-un",
        rows={"refusal": Rows(refusals), "retrieval": Rows(retrieval)},
        corpus=corpus_of(articles),
        caveat="a pool of reference passages, not the 366,000 passages of the task: compare within this row only",
        needs_data=True,
    ),
)
