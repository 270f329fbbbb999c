"""What a page's front matter says of it that can be searched by: facets, by the names that filters use."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from pydantic import TypeAdapter, ValidationError

from handrail.errors import KnowledgeError
from handrail.knowledge.formats import FORMATS, UNSAFE, Document
from handrail.knowledge.publication import audience
from handrail.stores.audience import FACET as AUDIENCE
from handrail.stores.audience import Audience
from handrail.stores.filters import LANG, TIER, UPDATED
from handrail.types.filters import Tier

NAMES = {
    "project_key": ("project_key", "project_keys", "project", "projects"),
    "tags": ("tags", "tag"),
    "source_type": ("source_type",),
    LANG: ("lang", "language", "locale"),
    "section": ("section",),
    "related": ("related",),
    "next": ("next", "pagination_next"),
    "supersedes": ("supersedes",),
    "superseded_by": ("superseded_by",),
}
"""Fields that say it, the first that is there counts."""
DATES = ("updated", "updated_at", "last_updated", "last_modified", "lastmod", "modified", "last_update", "date")
ARTICLES = ("related", "next", "supersedes", "superseded_by")
"""Facets that name other articles."""
WRITTEN = ("section",)
"""Facets that are shown as they are written; the others are compared in lower case."""
MOST = 20
"""Values of one facet: every passage repeats them."""
LONGEST = 100
LINK = re.compile(r"(?<!!)\[[^\[\]\n]{0,500}\]\((?!\w+:|#|//)([^)\s]{1,500})")
"""A link to another page of the same source."""
_DATE: TypeAdapter[date] = TypeAdapter(date)
_TRUTH: TypeAdapter[bool] = TypeAdapter(bool)


def facets(fields: Mapping[str, Any]) -> dict[str, str]:
    """Raises NotClear and KnowledgeError."""
    found: dict[str, str] = {}
    for facet, names in NAMES.items():
        said = next((fields[name] for name in names if fields.get(name)), None)
        values = list(dict.fromkeys(_article(v) if facet in ARTICLES else v for v in _texts(facet, said)))[:MOST]
        if values:
            found[facet] = "\n".join(values)
    if LANG in found:
        found[LANG] = found[LANG].replace("_", "-")
    if updated := next(filter(None, (_day(fields.get(name)) for name in DATES)), None):
        found[UPDATED] = updated
    tier = fields.get("tier")
    if isinstance(tier, str) and tier.strip().casefold() in tuple(Tier):
        found[TIER] = tier.strip().casefold()
    if _deprecated(fields.get("deprecated")):
        found["deprecated"] = "true"
    if audience(fields) is Audience.AGENTS:
        found[AUDIENCE] = Audience.AGENTS.value
    return found


def links(body: str, document: Document) -> dict[str, str]:
    """The facet that names the pages of the same source which `body` links to."""
    found: list[str] = []
    for target in LINK.findall(body):
        named = unquote(target.split("#")[0].split("?")[0])
        path = posixpath.normpath(posixpath.join("/", document.relative.parent.as_posix(), named))
        article = _article(path) if not named.startswith("../" * len(document.relative.parts)) else ""
        if article not in ("", document.id) and article not in found and len(article) <= LONGEST:
            found.append(article)
    return {"links": "\n".join(found[:MOST])} if found else {}


def _texts(facet: str, said: Any) -> Iterator[str]:
    """Docusaurus writes tags as tables, others as a list or with commas; what is no text is passed over."""
    if facet in ("section", "source_type", LANG, "superseded_by") and isinstance(said, list | dict | set | tuple):
        raise KnowledgeError(f"{facet} in the front matter must be a single text, not a list or table")
    several = isinstance(said, str) and facet in ("tags", "project_key")
    for item in said.split(",") if several else said if isinstance(said, list) else [said]:
        named = item.get("label") or item.get("id") or item.get("title") if isinstance(item, dict) else item
        if isinstance(named, str | int | float) and not isinstance(named, bool):
            text = " ".join(str(named).split())
            if text and (len(text) <= LONGEST or facet in WRITTEN):
                yield text if facet in (*WRITTEN, *ARTICLES) else text.casefold()


def _article(named: str) -> str:
    """The id of a page that is named by its path, with or without its suffix."""
    path = PurePosixPath(named.strip("/").removeprefix("./").lower())
    parts = (path.with_suffix("") if path.suffix in FORMATS else path).parts
    parts = parts[:-1] if len(parts) > 1 and parts[-1] == "index" else parts
    return ":".join(part if ":" in part else UNSAFE.sub("-", part) for part in parts)


def _day(said: Any) -> str | None:
    if isinstance(said, Mapping):  # Docusaurus: last_update: {date: …}
        said = said.get("date")
    if isinstance(said, datetime):
        said = said.date()
    try:
        return _DATE.validate_python(said[:10] if isinstance(said, str) else said).isoformat() if said else None
    except ValidationError:
        return None


def _deprecated(said: Any) -> bool:
    """Some pages name the version since which they are: `deprecated: "13.2"`."""
    if said is None or said == "":
        return False
    try:
        return _TRUTH.validate_python(said)
    except ValidationError:
        return True
