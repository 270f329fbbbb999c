"""tau-Knowledge (Sierra): documents of an invented bank, many nearly the same, and what a customer's case requires."""

from __future__ import annotations

import json
from typing import Any

from eval.datasets.held import corpus_of, folder_of, read_json, shaped
from eval.datasets.lines import BadRow, DatasetError, Line
from eval.datasets.spec import Rows, Source, Spec, numbered
from handrail.knowledge import Article

TASKS = "tasks.json"


def rows(source: Source) -> list[Line | BadRow]:
    held = read_json(source, TASKS)

    def row(task: Any) -> dict[str, Any]:
        said = task["user_scenario"]["instructions"]
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return {"id": task["id"], "question": text, "article_ids": list(task["required_documents"])}

    return numbered(shaped(TASKS, lambda: [row(task) for task in held]))


def articles(source: Source) -> list[Article]:
    folder = folder_of(source, TASKS) / "documents"
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder")
    files = sorted(folder.glob("*.json"))

    def read() -> list[Article]:
        found = [json.loads(path.read_text(encoding="utf-8")) for path in files]
        return [Article(item["id"], item["title"], item["content"], "") for item in found]

    documents: list[Article] = shaped(str(folder), read)
    return documents


SPECS = (
    Spec(
        name="tau-knowledge",
        title="tau-Knowledge: documents that a customer's case requires, given the whole case",
        licence="MIT",
        source="github.com/sierra-research/tau2-bench",
        kb="eval-tau-knowledge",
        rows={"retrieval": Rows(rows)},
        corpus=corpus_of(articles),
        caveat="the question is a role to play, longer than any visitor's; a case requires up to thirty documents",
        needs_data=True,
    ),
)
