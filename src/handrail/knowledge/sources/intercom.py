"""Articles of Intercom: its API, or lists of articles saved as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

from handrail.knowledge import Article, Unpublished
from handrail.knowledge.formats.html import markdown_of
from handrail.knowledge.sources import Surroundings
from handrail.knowledge.sources.rows import Item, Row, described, exported, paged, read, remote, text
from handrail.settings.sources import Source

VERSION = "2.11"
PER_PAGE = 50


class Intercom:
    """`where`: https://api.intercom.io, that of your region, or an export. `auth`: an access token."""

    def __init__(self, source: Source, around: Surroundings) -> None:
        self._where = source.where
        self._locale = source.locale
        headers = {"Intercom-Version": VERSION, "Accept": "application/json"}
        secret = around.secret(source)
        self._web = around.web(source, headers | ({"Authorization": f"Bearer {secret}"} if secret else {}))

    def articles(self) -> Iterator[Item]:
        if not remote(self._where):
            return read(exported(self._where, "data"), self._article)
        parts = urlsplit(self._where)
        first = f"{parts.scheme}://{parts.netloc}/articles?page=1&per_page={PER_PAGE}"
        return read(paged(self._web, first, "data", _following), self._article)

    def _article(self, where: str, row: Row) -> Item:
        id_ = f"intercom:{row['id']}"
        said = row
        if self._locale and self._locale != row.get("default_locale"):
            content = row.get("translated_content")
            said = (content.get(self._locale) if isinstance(content, dict) else None) or {}
            if not said:
                return Unpublished(id_, text(row, "url") or where, f"no text in {self._locale}")
        if text(said, "state") != "published":
            return Unpublished(id_, text(said, "url") or where, f"state: {text(said, 'state') or 'unknown'}")
        url = text(said, "url")
        told = described("intercom", {**row, "locale": self._locale or row.get("default_locale")})
        return Article(id_, text(said, "title") or id_, markdown_of(text(said, "body"), url), url, told)


def _following(address: str, page: Row) -> str:
    """The API has named the next page by its address, its number or a cursor, from version to version."""
    pages = page.get("pages")
    if not isinstance(pages, dict):
        return ""
    onward = pages.get("next")
    if isinstance(onward, str):
        return onward
    base = address.partition("?")[0]
    if isinstance(onward, dict) and onward.get("starting_after"):
        return f"{base}?{urlencode({'per_page': PER_PAGE, 'starting_after': onward['starting_after']})}"
    now, last = _number(pages.get("page")), _number(pages.get("total_pages"))
    return f"{base}?page={now + 1}&per_page={PER_PAGE}" if now and now < last else ""


def _number(said: object) -> int:
    return int(said) if isinstance(said, int) or (isinstance(said, str) and said.isdigit()) else 0
