"""WixQA (Wix, MIT licence) in all its configurations, from the Hub or from local files of the same fields."""

from __future__ import annotations

from functools import partial
from typing import Any

from eval.datasets.corpus import articles_digest
from eval.datasets.lines import BadRow, DatasetError, Line, read_lines
from eval.datasets.spec import Corpus, Row, Rows, Source, Spec, find, numbered
from handrail.errors import MissingExtra
from handrail.knowledge.wixqa import HUB_NAME, WixQA
from handrail.models import hub
from handrail.settings import Settings

CONFIGURATIONS = {"expertwritten": 200, "simulated": 200, "synthetic": 6221}
"""Questions in each."""
ARTICLES = 6221


def rows(configuration: str, source: Source) -> list[Line | BadRow]:
    if source is not None:
        return read_lines(find(source, (f"*{configuration}*.jsonl", f"*{configuration}/*.jsonl")))[1]
    return numbered(from_hub(configuration))


def from_hub(configuration: str) -> list[dict[str, Any]]:
    try:
        from datasets import load_dataset
    except ImportError:
        raise MissingExtra("Loading WixQA from the Hub", "eval") from None
    if hub.unavailable():
        raise DatasetError(f"{HUB_NAME}: the Hub does not answer; name a folder with a local copy with --data")
    try:
        split = load_dataset(HUB_NAME, f"wixqa_{configuration}")
    except Exception as error:
        raise DatasetError(f"{HUB_NAME}: not loaded from the Hub ({type(error).__name__}); use --data") from error
    return [dict(row) for part in split.values() for row in part]


def mapped(row: Row) -> Row:
    return {"question": row.get("question"), "answer": row.get("answer"), "article_ids": row.get("article_ids")}


def digest(source: Source, settings: Settings) -> tuple[int, str]:
    return articles_digest(row for _, row in loader(source, settings).rows())


def loader(source: Source, settings: Settings) -> WixQA:
    corpus = source / "wix_kb_corpus" if source is not None else None
    return WixQA(corpus if corpus is not None and corpus.is_dir() else source)


def configuration(name: str, questions: int) -> Spec:
    of = Rows(partial(rows, name), mapped, questions)
    return Spec(
        name=f"wixqa-{name}",
        title=f"WixQA, {name} questions over {ARTICLES:,} articles",
        licence="MIT",
        source=f"huggingface.co/datasets/{HUB_NAME}",
        kb="eval-wixqa",
        rows={"retrieval": of, "answers": of},
        corpus=Corpus(loader, digest, n=ARTICLES),
    )


SPECS = tuple(configuration(name, questions) for name, questions in CONFIGURATIONS.items())
