"""A passage as JSON, and what filters compare of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from handrail.stores.filters import DOCUMENT, FROM, KEYS, TO, values
from handrail.types import Kind, PageImage, Passage, Place

SAID = tuple(key for key in KEYS if key not in (DOCUMENT, FROM, TO))
"""Facets that filters ask for by value."""


def as_row(passage: Passage) -> dict[str, Any]:
    return asdict(passage)


def from_row(row: Mapping[str, Any]) -> Passage:
    places = tuple(map(_place, row["places"]))
    return Passage(**{**row, "headings": tuple(row["headings"]), "kind": Kind(row["kind"]), "places": places})


def _place(row: Mapping[str, Any]) -> Place:
    image = row.get("image")
    return Place(row["page"], tuple(row["box"]) if row["box"] else None, PageImage(**image) if image else None)


def sharing(passages: Iterable[Passage]) -> list[Passage]:
    """Those of one article, which stand together, hold what they have alike once: a third of their memory."""
    found: list[Passage] = []
    for passage in passages:
        before = found[-1] if found else passage
        if before.article_id == passage.article_id and (before.title, before.facets) == (passage.title, passage.facets):
            passage = replace(passage, article_id=before.article_id, title=before.title, facets=before.facets)
        found.append(passage)
    return found


def said(passage: Passage) -> dict[str, list[str]]:
    """Each facet's values, with what an article that says nothing counts as; no filter holds a NUL."""
    return {key: [one.replace("\x00", "") for one in values(passage.facets, key)] for key in SAID}
