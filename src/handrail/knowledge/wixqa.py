"""The WixQA knowledge base (Wix, MIT licence): from the Hugging Face Hub, or local files of the same fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge import Article, Rejected

HUB_NAME = "Wix/WixQA"
HUB_CONFIG = "wix_kb_corpus"
FIELDS = ("id", "title")


class WixQA:
    """`source` is a JSON-lines file, a folder of them, or None for the Hub."""

    def __init__(self, source: Path | None) -> None:
        self._source = source

    def articles(self) -> Iterator[Article | Rejected]:
        rows = self._hub() if self._source is None else self._files(self._source)
        seen: set[str] = set()
        for where, row in rows:
            try:
                article = _article(row)
            except KnowledgeError as error:
                yield Rejected(where, str(error))
                continue
            if article.id not in seen:
                seen.add(article.id)
                yield article

    def _hub(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            from datasets import load_dataset
        except ImportError:
            raise MissingExtra("Loading WixQA from the Hub", "eval") from None
        try:
            rows = load_dataset(HUB_NAME, HUB_CONFIG, split="train")
        except Exception as error:
            raise KnowledgeError(
                f"{HUB_NAME} could not be loaded from the Hub ({type(error).__name__}). Give a local copy instead: "
                "handrail ingest --wixqa FOLDER, with JSON lines of id, url, contents, title, article_type"
            ) from error
        for number, row in enumerate(rows):
            yield f"{HUB_NAME} row {number}", row

    def _files(self, source: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
        paths = sorted(source.glob("*.jsonl")) if source.is_dir() else [source]
        corpora = [path for path in paths if _is_corpus(path)]
        if not corpora:
            raise KnowledgeError(f"{source}: no JSON lines with the WixQA fields id, title and contents")
        for path in corpora:
            yield from _rows(path)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise KnowledgeError(f"{path} line {number}: not a JSON object")
                yield f"{path} line {number}", row
    except FileNotFoundError:
        raise KnowledgeError(f"{path}: no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise KnowledgeError(f"{path}: not UTF-8 JSON lines: {error}") from None


def _is_corpus(path: Path) -> bool:
    """Question files lie in the same folder; only rows with articles' fields are a corpus."""
    first: Iterable[tuple[str, Mapping[str, Any]]] = _rows(path)
    return any({"id", "title"} <= row.keys() and ("contents" in row or "text" in row) for _, row in _first(first))


def _first(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for row in rows:
        yield row
        return


def _article(row: Mapping[str, Any]) -> Article:
    missing = [name for name in FIELDS if not row.get(name)]
    contents = row.get("contents") or row.get("text")
    if missing or not contents:
        raise KnowledgeError(f"missing {', '.join(missing or ['contents'])}")
    title = str(row["title"]).strip()
    body = str(contents).strip()
    while body.startswith(title):
        body = body[len(title) :].strip()
    facets = {"article_type": str(row["article_type"])} if row.get("article_type") else {}
    return Article(str(row["id"]), title, _paragraphs(body), str(row.get("url") or ""), facets)


def _paragraphs(text: str) -> str:
    """The corpus keeps one line per paragraph and glues some sentences; Markdown wants blank lines between."""
    text = re.sub(r"(?<=[a-z.)])(Important|Note|Notes|Tip|Tips):", r"\n\1: ", text)
    return "\n\n".join(line.strip() for line in text.splitlines() if line.strip())
