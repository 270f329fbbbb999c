"""What a file beside an article says of it: `handbook.pdf.yaml` holds the front matter that a PDF has no room for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.files import plain_file
from handrail.knowledge.metadata import facets
from handrail.knowledge.publication import NotClear, held_back
from handrail.stores.audience import FACET as AUDIENCE

END = ".yaml"
MOST_BYTES = 20_000


def beside(path: Path) -> Path:
    """Where the front matter of `path` may lie."""
    return path.with_name(path.name + END)


def fields_of(path: Path) -> Mapping[str, Any]:
    """What is said beside `path`; empty where nothing is. Raises NotClear."""
    place = beside(path)
    if not place.is_file():
        return {}
    try:
        said = yaml.safe_load(plain_file(place, MOST_BYTES).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError, ValueError, KnowledgeError) as error:
        raise NotClear(f"{place.name} can't be read as YAML: {error}") from None
    if said is None:
        return {}
    if not isinstance(said, dict):
        raise NotClear(f"{place.name} must hold fields, such as `tags: [billing]`")
    return {str(key).strip().casefold(): value for key, value in said.items()}


def described(
    item: Article | Rejected | Unpublished, path: Path, fields: Mapping[str, Any], *, alone: bool
) -> Article | Rejected | Unpublished:
    """An article with what is said beside its file, which adds to what the file says: neither can make public what the
    other holds back. `alone`: the file holds one article and may be given a title and an address.

    Raises NotClear and KnowledgeError.
    """
    if not fields or not isinstance(item, Article):
        return item
    if why := held_back(fields):
        return Unpublished(item.id, str(path), why)
    title, url = (
        str((alone and fields.get(key)) or had).strip() for key, had in (("title", item.title), ("url", item.url))
    )
    said = facets(fields)
    kept = {AUDIENCE: said[AUDIENCE]} if AUDIENCE in said else {}
    return replace(item, title=title, url=url, facets={**said, **item.facets, **kept})
