"""Help centre portals of Chatwoot: the public list of a portal, the API of an account, or either saved as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

from handrail.knowledge import Article, Unpublished
from handrail.knowledge.sources import Surroundings
from handrail.knowledge.sources.rows import Item, Row, described, exported, paged, read, remote, text
from handrail.settings.sources import Source

PORTAL = re.compile(r"/hc/([^/]+)(?:/|$)")
PUBLISHED = ("published", 1)


class Chatwoot:
    """`where`: https://…/hc/PORTAL/LOCALE, https://…/api/v1/accounts/ID/portals/PORTAL, or an export.

    `auth`: an API access token, for the account's API.
    """

    def __init__(self, source: Source, around: Surroundings) -> None:
        self._where = source.where.rstrip("/")
        self._locale = source.locale
        found = PORTAL.search(source.where)
        parts = urlsplit(source.where)
        self._base = f"{parts.scheme}://{parts.netloc}/hc/{found[1]}/articles" if found and remote(source.where) else ""
        self._seen: set[object] = set()
        secret = around.secret(source)
        self._web = around.web(source, {"api_access_token": secret} if secret else None)

    def articles(self) -> Iterator[Item]:
        if not remote(self._where):
            return read(exported(self._where, "payload"), self._article)
        account = "/api/v1/accounts/" in self._where
        locale = f"&locale={quote(self._locale)}" if self._locale else ""
        first = f"{self._where}/articles{'' if account else '.json'}?page=1{locale}"
        self._seen.clear()
        return read(paged(self._web, first, "payload", self._following), self._article)

    def _following(self, address: str, page: Row) -> str:
        """Versions that know no pages give the same list for each: then there is nothing new."""
        ids = {row.get("id") for row in page["payload"] if isinstance(row, dict)}
        if not ids - self._seen:
            return ""
        self._seen |= ids
        base, _, number = address.partition("?page=")
        now, and_, rest = number.partition("&")
        return f"{base}?page={int(now) + 1}{and_}{rest}"

    def _article(self, where: str, row: Row) -> Item:
        id_ = f"chatwoot:{row['id']}"
        slug = text(row, "slug")
        url = f"{self._base}/{quote(slug)}" if self._base and slug else ""
        if row.get("status") not in PUBLISHED:
            return Unpublished(id_, url or where, f"status: {row.get('status')}")
        if self._locale and text(row, "locale") not in ("", self._locale):
            return Unpublished(id_, url or where, f"locale: {row['locale']}")
        return Article(id_, text(row, "title") or id_, text(row, "content"), url, described("chatwoot", row))
