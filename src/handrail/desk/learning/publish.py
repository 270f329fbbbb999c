"""An approved draft becomes a file in the knowledge folder, and from there part of the index."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from handrail.desk.learning.drafts import as_markdown
from handrail.records.learning_tables import ArticleDraftRow

FOLDER = "articles"
"""In a knowledge base's own folder; `handrail ingest` always reads it too."""
SECTION = "learned"
LONGEST_NAME = 80


def write_article(folder: Path, draft: ArticleDraftRow) -> str:
    """Write the file in one step and give the id its article will have; the same draft again replaces its file."""
    name = f"{_slug(draft.title)}-{draft.id[:8]}"
    target = folder / SECTION / f"{name}.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    text = as_markdown(
        draft.title,
        draft.body,
        lang=draft.lang,
        machine_made=draft.machine_made,
        made_by=draft.made_by,
        conversation=draft.conversation_id,
    )
    part = target.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)
    return f"{SECTION}:{name}"


def remove_article(folder: Path, article_id: str) -> None:
    (folder / Path(*article_id.split(":")).with_suffix(".md")).unlink(missing_ok=True)


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKC", title).casefold()
    return re.sub(r"[^\w]+", "-", plain).strip("-_")[:LONGEST_NAME].strip("-") or "article"
