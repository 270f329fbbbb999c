"""How the articles of one snapshot refer to each other: what comes next, what belongs together, what is replaced."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from handrail.stores.filters import over, selected, values
from handrail.stores.snapshot import Snapshot
from handrail.text.markdown import LINKED
from handrail.types import Passage, Related
from handrail.types.filters import Filters

MOST = 4
"""Articles of one related block."""
REPLACED_BY, NEXT, RELATED, LINK = "superseded_by", "next", "related", "link"


class Relations:
    """Of what the snapshot's audience may read: an article that is not in it is never named."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def outdated(self, article: str) -> bool:
        """Whether it says so itself, or another article does."""
        facets = self._first(article).facets
        return bool(facets.get("deprecated") or facets.get(REPLACED_BY) or article in self._replaced)

    def newest(self, article: str) -> str | None:
        """The article in its place, or in the place of that one; None where there is none."""
        found, seen = article, {article}
        while (newer := self._replaced.get(found)) is not None and newer not in seen:
            found = newer
            seen.add(newer)
        return found if found != article else None

    def beside(self, articles: Collection[str], filters: Filters) -> list[Related]:
        """One step away from `articles` and none of them: first what is in their place, then what comes next."""
        found: dict[str, Related] = {}
        filters = over(filters, self._snapshot.lang, self._snapshot.tags)
        for kind in (REPLACED_BY, NEXT, RELATED, LINK):
            for article in articles:
                for other in self._step(kind, article):
                    known = other in articles or other in found or other not in self._snapshot.rows
                    if known or self.outdated(other) or not selected(self._first(other), filters):
                        continue
                    first = self._first(other)
                    found[other] = Related(other, first.title, first.url.partition("#")[0], kind)
        return list(found.values())[:MOST]

    def _step(self, kind: str, article: str) -> Iterator[str]:
        if article not in self._snapshot.rows:
            return
        if kind == REPLACED_BY:
            newest = self.newest(article)
            yield from [newest] if newest is not None else []
        elif kind == LINK:
            yield from self._linked(article)
        else:
            yield from values(self._first(article).facets, kind)

    def _linked(self, article: str) -> Iterator[str]:
        """By their path, where the loader knew it, and by their address."""
        yield from values(self._first(article).facets, "links")
        for row in self._snapshot.rows[article]:
            for address in LINKED.findall(self._snapshot.passages[row].text):
                other = self._by_address.get(_page(address))
                if other is not None:
                    yield other

    def _first(self, article: str) -> Passage:
        return self._snapshot.passages[self._snapshot.rows[article][0]]

    @cached_property
    def _by_address(self) -> dict[str, str]:
        firsts = (self._first(article) for article in self._snapshot.articles)
        return {_page(first.url): first.article_id for first in firsts if first.url}

    @cached_property
    def _replaced(self) -> dict[str, str]:
        """By the article that is replaced, as either of the two says; the older one knows best."""
        held = self._snapshot.rows
        said: dict[str, str] = {}
        for article in self._snapshot.articles:
            said |= {old: article for old in values(self._first(article).facets, "supersedes") if old in held}
        for article in self._snapshot.articles:
            newer = self._first(article).facets.get(REPLACED_BY)
            if newer in held and newer is not None:
                said[article] = newer
        return said


def _page(address: str) -> str:
    return address.partition("#")[0].rstrip("/")
