"""Corpora whose articles are rows of a dataset's own files, in whatever shape those have."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.datasets.corpus import articles_digest
from eval.datasets.lines import DatasetError
from eval.datasets.spec import Corpus, Source, find
from handrail.knowledge import Article, Rejected

TITLE_WORDS = 10


@dataclass(frozen=True, slots=True)
class HeldArticles:
    """Articles that were read already."""

    held: Sequence[Article]

    def articles(self) -> Iterator[Article | Rejected]:
        yield from self.held


def corpus_of(articles: Callable[[Source], Sequence[Article]]) -> Corpus:
    """Of what `articles` reads from a local copy; it raises DatasetError where that does not hold them."""
    return Corpus(
        loader=lambda source, _: HeldArticles(articles(source)),
        digest=lambda source, _: articles_digest(
            {"id": article.id, "contents": f"{article.title}\n{article.body}"} for article in articles(source)
        ),
    )


def untitled(article_id: str, text: str) -> Article:
    """Its first words stand for a title."""
    words = text.split()
    title = " ".join(words[:TITLE_WORDS]) + ("…" if len(words) > TITLE_WORDS else "")
    return Article(article_id, title, text.strip(), "")


def read_json(source: Source, name: str) -> Any:
    """The file of this name in the copy. Raises DatasetError."""
    path = find(source, (name,))
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path}: not JSON: {error}") from None


def read_tsv(source: Source, name: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """Rows of a table without quoting, by the names in its first line. Raises DatasetError."""
    path = find(source, (name,))
    try:
        with path.open(encoding="utf-8", newline="") as opened:
            rows = list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{path}: not a table: {error}") from None
    if not rows or not set(columns).issubset(rows[0]):
        raise DatasetError(f"{path}: its first line does not name {', '.join(columns)}")
    return rows


def shaped(where: str, read: Callable[[], Any]) -> Any:
    """What `read` returns. Raises DatasetError where a field is not there."""
    try:
        return read()
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise DatasetError(f"{where}: not as it was published ({type(error).__name__}: {error})") from None


def folder_of(source: Source, name: str) -> Path:
    """The folder that holds the file of this name."""
    return find(source, (name,)).parent
