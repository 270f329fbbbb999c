"""What the help desks have in common: pages of JSON rows from an API, or the same rows exported to files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.files import files_in, plain_file
from handrail.knowledge.metadata import facets
from handrail.knowledge.sources.web import Gone, Web

Row = Mapping[str, Any]
Item = Article | Rejected | Unpublished
PAGE_BYTES = EXPORT_BYTES = 50_000_000
MOST_PAGES = 10_000


def remote(where: str) -> bool:
    return where.startswith(("http://", "https://"))


def paged(web: Web, first: str, key: str, following: Callable[[str, Row], str]) -> Iterator[tuple[str, Any]]:
    """Rows under `key` with the address of their page. `following` gives the next page's address, or nothing.

    Raises KnowledgeError: a list that ends early would be taken for articles that are gone.
    """
    address = first
    seen: set[str] = set()
    while address:
        if address in seen or len(seen) == MOST_PAGES:
            raise KnowledgeError(f"{first}: the pages of the list never end")
        seen.add(address)
        try:
            body = web.page(address, PAGE_BYTES).body
        except Gone as error:
            raise KnowledgeError(f"{error}; check the source's address") from None
        page = _json(body)
        if not isinstance(page, dict) or not isinstance(page.get(key), list):
            raise KnowledgeError(f"{address}: not a list of articles ({key}); check the source's address")
        yield from ((address, row) for row in page[key])
        address = following(address, page)
        if address and urlsplit(address)[:2] != urlsplit(first)[:2]:
            raise KnowledgeError(f"{first}: the list goes on at another host, {urlsplit(address).netloc}")


def exported(where: str, key: str) -> Iterator[tuple[str, Any] | Skipped]:
    """Rows of a JSON file, or of all in a folder: lists of articles, pages of the API, or one article each."""
    root = Path(where)
    if not root.exists():
        raise KnowledgeError(f"{where}: no such file or folder")
    for path in files_in(root, {".json"}) if root.is_dir() else [root]:
        if isinstance(path, Skipped):
            yield path
            continue
        try:
            page = _json(plain_file(path, EXPORT_BYTES))
        except (KnowledgeError, OSError) as error:
            yield str(path), error
            continue
        rows = page.get(key, [page]) if isinstance(page, dict) else page
        yield from ((str(path), row) for row in (rows if isinstance(rows, list) else [None]))


def read(rows: Iterator[tuple[str, Any] | Skipped], article: Callable[[str, Row], Item]) -> Iterator[Item]:
    """Every row as an article; one that is none is rejected and named."""
    for found in rows:
        if isinstance(found, Skipped):
            yield found
            continue
        where, row = found
        try:
            if not isinstance(row, dict) or not row.get("id"):
                why = str(row) if isinstance(row, Exception) else "not an article: a JSON object with an id"
                raise KnowledgeError(why)
            yield article(where, row)
        except KnowledgeError as error:
            named = f"{where} id {row['id']}" if isinstance(row, dict) and row.get("id") else where
            yield Rejected(named, str(error))


def text(row: Row, key: str) -> str:
    """Raises KnowledgeError for what is neither text nor absent."""
    said = row.get(key)
    if said is not None and not isinstance(said, str):
        raise KnowledgeError(f"{key} is not a text")
    return (said or "").strip()


def described(kind: str, row: Row, labels: str = "tags") -> dict[str, str]:
    """What filters select by, of an article that a help desk gives."""
    at = row.get("updated_at")
    if type(at) is int and 0 < at < 2**33:
        at = datetime.fromtimestamp(at, UTC)
    said = {"lang": row.get("locale"), "updated": at, "tags": row.get(labels)}
    return {"source_type": kind} | facets({key: value for key, value in said.items() if value})


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
