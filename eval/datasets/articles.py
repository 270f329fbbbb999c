"""Gold ids of evaluation files against the articles of a knowledge base."""

from __future__ import annotations

from collections.abc import Collection

PREFIX = 16
"""Shorter ids must be equal: slugs share beginnings, hashes of this length do not."""


def resolve(gold: str, articles: Collection[str]) -> str | None:
    """The article `gold` names: the one of that id, else the only one whose id begins with it.

    None when there is no such article, or several begin with `gold`.
    """
    if gold in articles:
        return gold
    if len(gold) < PREFIX:
        return None
    found = [article for article in articles if article.startswith(gold)]
    return found[0] if len(found) == 1 else None
