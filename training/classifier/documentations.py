"""Questions about technical documentations as messages: all answerable by the guide, whether a page answers or not."""

from __future__ import annotations

import json
from collections.abc import Iterator

from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.text.markdown import plain, sentences
from handrail.types import Label
from training import DATASETS
from training.classifier.rows import Company, Row

MOST_BYTES = 1_000_000
WEIGHT = 0.5
"""Each brings some two hundred messages of one label."""
COMPANIES = (
    Company("queues", "Oxcart", "Documentation of Oxcart, a Python library for background jobs and task queues."),
    Company("homes", "Wrenhall", "Documentation of Wrenhall, a home automation server to host oneself."),
    Company("pipelines", "Millrace", "Documentation of Millrace, a continuous integration server with runners."),
    Company("database", "Osier", "Documentation of Osier, a document database: server, shell, drivers and backups."),
)
"""Without articles: `companies` adds them."""


def companies() -> dict[str, Company]:
    """With each page's title and first sentence."""
    return {
        base.id: Company(base.id, base.name, base.covers, "documentation", [_summary(page) for page in _pages(base.id)])
        for base in COMPANIES
    }


def _pages(name: str) -> Iterator[Article]:
    return (
        page for page in Folder(DATASETS / name / "articles", "", MOST_BYTES).articles() if isinstance(page, Article)
    )


def _summary(page: Article) -> dict[str, str]:
    first = next((line for line in page.body.splitlines() if line.strip() and line[0] not in "#|`"), "")
    return {"title": page.title, "text": next(iter(sentences(plain(first))), "")}


def questions() -> Iterator[Row]:
    for base in COMPANIES:
        for name in ("retrieval", "refusal"):
            for line in (DATASETS / base.id / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
                yield Row(json.loads(line)["question"], Label.ANSWERABLE, base.id, base.id, WEIGHT)
