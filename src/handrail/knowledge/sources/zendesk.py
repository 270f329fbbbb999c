"""Help centres of Zendesk: the Help Center API, or its pages of articles saved as JSON."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import urlsplit

from handrail.knowledge import Article, Unpublished
from handrail.knowledge.formats.html import markdown_of
from handrail.knowledge.sources import Surroundings
from handrail.knowledge.sources.rows import Item, Row, described, exported, paged, read, remote, text
from handrail.settings.sources import Source
from handrail.stores.audience import FACET, Audience

IN_PATH = re.compile(r"/hc/([a-z]{2}(?:-[a-z0-9]+)*)(?:/|$)", re.I)


class Zendesk:
    """`where`: https://acme.zendesk.com or its /hc/en-us, or an export. `auth`: `name@acme.com/token:…`, or a token."""

    def __init__(self, source: Source, around: Surroundings) -> None:
        self._where = source.where
        found = IN_PATH.search(source.where)
        self._locale = source.locale.lower() or (found[1].lower() if found and remote(source.where) else "")
        self._web = around.web(source, _credentials(around.secret(source)))

    def articles(self) -> Iterator[Item]:
        if not remote(self._where):
            return read(exported(self._where, "articles"), self._article)
        parts = urlsplit(self._where)
        inside = f"/{self._locale}" if self._locale else ""
        first = f"{parts.scheme}://{parts.netloc}/api/v2/help_center{inside}/articles.json?page[size]=100"
        return read(paged(self._web, first, "articles", _following), self._article)

    def _article(self, where: str, row: Row) -> Item:
        id_ = f"zendesk:{row['id']}"
        if row.get("draft"):
            return Unpublished(id_, text(row, "html_url") or where, "draft: true")
        said = text(row, "locale").lower()
        if self._locale and said and not f"{said}-".startswith(f"{self._locale}-"):
            return Unpublished(id_, text(row, "html_url") or where, f"locale: {row['locale']}")
        limited = row.get("user_segment_id") or row.get("user_segment_ids")
        told = described("zendesk", row, "label_names") | ({FACET: Audience.AGENTS.value} if limited else {})
        url = text(row, "html_url")
        title = text(row, "title") or text(row, "name") or id_
        return Article(id_, title, markdown_of(text(row, "body"), url), url, told)


def _following(address: str, page: Row) -> str:
    """By cursor, or by number where a help centre still counts its pages."""
    links, meta = page.get("links"), page.get("meta")
    if isinstance(meta, dict) and isinstance(links, dict):
        return str(links.get("next") or "") if meta.get("has_more") else ""
    return str(page.get("next_page") or "")


def _credentials(secret: str) -> dict[str, str]:
    if not secret:
        return {}
    scheme = f"Basic {b64encode(secret.encode()).decode()}" if ":" in secret else f"Bearer {secret}"
    return {"Authorization": scheme}
