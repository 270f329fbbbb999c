"""What evaluation files call an article, against the articles of a knowledge base."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping

PREFIX = 16
"""Shorter ids must be equal: slugs share beginnings, hashes of this length do not."""
SUFFIX = re.compile(r"\.(?:mdx?|markdown)$", re.I)
SEPARATOR = re.compile(r"[/:]")
UNSAFE = re.compile(r"[^\w.-]+")


class KnownArticles:
    """The articles of one knowledge base. `urls` and `titles` are by article id."""

    def __init__(
        self,
        ids: Iterable[str],
        urls: Mapping[str, str] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self._ids = frozenset(ids)
        self._sorted = sorted(self._ids)
        self._by_url = _unique((_bare(url), article) for article, url in (urls or {}).items())
        self._by_title = _unique((title.casefold().strip(), article) for article, title in (titles or {}).items())
        self._by_end = _unique((end, article) for article in self._ids for end in _ends(article.split(":")))

    def resolve(self, gold: str) -> str | None:
        """The article `gold` names: by its id, else its address, its file path, sixteen or more characters of the
        beginning of its id, its title, or the name of its file.

        None when there is no such article, or several are meant.
        """
        gold = gold.strip()
        if gold in self._ids:
            return gold
        found = self._by_url.get(_bare(gold)) or self._of_path(gold) or self._of_prefix(gold) or self._of_title(gold)
        return found or self._by_end.get(UNSAFE.sub("-", gold.lower()))

    def resolve_all(self, names: Iterable[str]) -> frozenset[str]:
        """Every article named; a name that is of none stays as it is, can never be found, and counts as missed."""
        return frozenset(self.resolve(name) or name for name in names)

    @property
    def ids(self) -> frozenset[str]:
        return self._ids

    def _of_prefix(self, gold: str) -> str | None:
        if len(gold) < PREFIX:
            return None
        at = bisect_left(self._sorted, gold)
        found = [article for article in self._sorted[at : at + 2] if article.startswith(gold)]
        return found[0] if len(found) == 1 else None

    def _of_path(self, gold: str) -> str | None:
        """`src/docs/guides/images.mdx` is `guides:images`, and that `docs:guides:images`, wherever the folder that was
        indexed begins.
        """
        if not SEPARATOR.search(gold) and not SUFFIX.search(gold):
            return None
        path = _bare(gold).partition("://")[2] or gold
        parts = [UNSAFE.sub("-", part.lower()) for part in SEPARATOR.split(SUFFIX.sub("", path.strip("/")))]
        if len(parts) > 1 and parts[-1] == "index":
            parts.pop()
        whole = self._by_end.get(":".join(parts))
        ends = (end for end in _ends(parts) if end in self._ids)
        return whole or next(ends, None)

    def _of_title(self, gold: str) -> str | None:
        return self._by_title.get(gold.casefold())


def _ends(parts: list[str]) -> list[str]:
    """`a:b:c`, `b:c`, `c`: longest first."""
    return [":".join(parts[start:]) for start in range(len(parts))]


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0].rstrip("/")


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A name of two articles is the name of none."""
    found: dict[str, str | None] = {}
    for name, article in pairs:
        found[name] = article if found.get(name, article) == article else None
    return {name: article for name, article in found.items() if article is not None}
