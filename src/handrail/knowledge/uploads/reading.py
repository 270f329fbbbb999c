"""What is in an uploaded file, as visitors would see it quoted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.folder import Folder
from handrail.knowledge.uploads import Preview, Shown, UploadError
from handrail.stores.audience import Audience
from handrail.text.markdown import parse
from handrail.types.evidence import heading_of

MOST_ARTICLES, MOST_SECTIONS = 50, 200
"""That are shown of one file."""


def previews(
    folder: Path, url_base: str, max_bytes: int, planted: Callable[[str], bool]
) -> tuple[list[Preview], list[str]]:
    """The articles of the files under `folder`, and notes on what of them is not used. Raises UploadError."""
    found, notes = _read(folder, url_base, max_bytes)
    if not found:
        raise UploadError("; ".join(notes) or "no article was found in this file")
    more = len(found) - MOST_ARTICLES
    if more > 0:
        notes.append(f"{more} more articles are not shown here")
    return [_preview(one, planted) for one in found[:MOST_ARTICLES]], notes


def ids(folder: Path, url_base: str, max_bytes: int) -> list[str]:
    """Of the articles of the files under `folder`; none where they can't be read."""
    try:
        return [one.id for one in _read(folder, url_base, max_bytes)[0]]
    except UploadError:
        return []


def _read(folder: Path, url_base: str, max_bytes: int) -> tuple[list[Article], list[str]]:
    articles: dict[str, Article] = {}
    notes: list[str] = []
    try:
        for item in Folder(folder, url_base, max_bytes).articles():
            if isinstance(item, Article):
                articles.setdefault(item.id, item)
            elif isinstance(item, Unpublished):
                notes.append(f"not public: {item.why}")
            elif isinstance(item, Rejected | Skipped):
                notes.append(item.why)
    except KnowledgeError as error:
        raise UploadError(str(error)) from None
    return list(articles.values()), notes


def _preview(article: Article, planted: Callable[[str], bool]) -> Preview:
    blocks = groupby(parse(article.body), key=lambda block: block.headings)
    sections = [
        Shown(heading_of(article.title, headings), "\n\n".join(block.render() for block in inner))
        for headings, inner in blocks
    ]
    return Preview(
        id=article.id,
        title=article.title,
        url=article.url,
        sections=tuple(sections[:MOST_SECTIONS]),
        for_agents=not Audience.PUBLIC.may_read(article.facets),
        planted=planted(f"{article.title}\n\n{article.body}"),
    )
