"""A website by its site map, as its robots.txt allows."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urldefrag, urlsplit
from urllib.robotparser import RobotFileParser

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.formats import UNSAFE
from handrail.knowledge.formats.html import page_of
from handrail.knowledge.formats.html_tree import joined
from handrail.knowledge.sitemap import MOST_BYTES, MOST_MAPS, site_map
from handrail.knowledge.sources import Surroundings
from handrail.knowledge.sources.kept import Fetched
from handrail.knowledge.sources.web import AGENT, Elsewhere, Gone, Refused
from handrail.settings.sources import Source

PAGES = ("text/html", "application/xhtml+xml")
FAILURES = 5
"""Pages in a row that could not be read, after which the site is left alone."""


class Site:
    """`where` is a site map, or a page under which all pages are read."""

    def __init__(self, source: Source, around: Surroundings) -> None:
        parts = urlsplit(source.where)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KnowledgeError(f"{source.where}: not an http or https address")
        self._where = source.where
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._is_map = parts.path.endswith((".xml", ".xml.gz"))
        self._below = "/" if self._is_map else parts.path.rstrip("/") + "/"
        self._most = source.max_pages
        self._max_bytes = around.max_bytes
        secret = around.secret(source)
        self._schemes = ("https",) if secret and parts.scheme == "https" else ("http", "https")
        self._web = around.web(source, {"Authorization": secret} if secret else None)
        self._robots = RobotFileParser()
        self._seen: set[str] = set()

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        self._read_robots()
        pages = 0
        failures = 0
        for address, listed in self._listed():
            if not self._robots.can_fetch(AGENT, address):
                yield Unpublished(_id(address), address, "robots.txt")
                continue
            if pages == self._most:
                # Rejected, since what is indexed of the others must stay.
                yield Rejected(self._where, f"lists more than max_pages = {self._most} pages; the others were not read")
                return
            pages += 1
            try:
                found = self._web.page(address, self._max_bytes, listed)
                failures = 0
            except Gone:
                yield Unpublished(_id(address), address, "gone")
                continue
            except Elsewhere as error:
                yield Skipped(address, str(error))
                yield Unpublished(_id(address), address, "on another host")
                continue
            except Refused as error:
                failures += 1
                if failures == FAILURES:  # a whole site that asks for a sign-in is a fault of the source
                    raise
                yield Unpublished(_id(address), address, f"needs a sign-in: {error}")
                continue
            except KnowledgeError as error:
                failures += 1
                if failures == FAILURES:
                    raise
                yield Rejected(address, str(error))
                held = self._web.held(address)
                if held is None:
                    continue
                found = held
            yield from self._article(address, found)

    def _read_robots(self) -> None:
        try:
            said = self._web.page(f"{self._origin}/robots.txt", 500_000).body.decode("utf-8", "replace")
        except (Gone, Elsewhere):
            said = ""
        self._robots.parse(said.splitlines())
        if delay := self._robots.crawl_delay(AGENT):
            self._web.slow_down(float(delay))

    def _listed(self) -> Iterator[tuple[str, str]]:
        """Addresses of this host with what is said of their last change. Raises KnowledgeError."""
        named = [url for url in self._robots.site_maps() or [] if self._own(url)]
        waiting = [self._where] if self._is_map else named or [f"{self._origin}/sitemap.xml"]
        read: set[str] = set()
        given: set[str] = set()
        while waiting:
            address = waiting.pop(0)
            if address in read:
                continue
            if len(read) == MOST_MAPS:
                raise KnowledgeError(f"{self._where}: more than {MOST_MAPS} site maps")
            read.add(address)
            try:
                found = self._web.page(address, MOST_BYTES)
            except Gone as error:
                raise KnowledgeError(f"{error}; name the site map in `where`") from None
            listed = site_map(found.body)
            waiting += [url for url in (joined(found.final, loc) for loc in listed.maps) if self._own(url)]
            for loc, changed in listed.pages:
                location = urldefrag(joined(found.final, loc)).url
                if self._own(location) and self._wanted(location) and location not in given:
                    given.add(location)
                    yield location, changed
        if not given:
            raise KnowledgeError(f"{self._where}: the site map lists no page of {urlsplit(self._origin).netloc}")

    def _own(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        return parts.scheme in self._schemes and parts.netloc == urlsplit(self._origin).netloc

    def _wanted(self, url: str) -> bool:
        return f"{urlsplit(url).path.rstrip('/')}/".startswith(self._below)

    def _article(self, address: str, found: Fetched) -> Iterator[Article | Rejected | Unpublished]:
        if found.kind not in PAGES:
            yield Skipped(address, f"{found.kind or 'of no stated type'}, not a page in HTML")
            return
        if "noindex" in found.robots or "none" in found.robots.replace(",", " ").split():
            yield Unpublished(_id(found.final), address, "X-Robots-Tag: noindex")
            return
        try:
            page = page_of(found.body, found.final)
        except KnowledgeError as error:
            yield Rejected(address, str(error))
            return
        url = page.canonical if page.canonical and self._own(page.canonical) else found.final
        if why := page.held_back or (page.redirect and f"redirects to {page.redirect}"):
            yield Unpublished(_id(url), address, why)
        elif (id_ := _id(url)) in self._seen:
            yield Skipped(address, f"the same page as {url}, which is read already")
        else:
            self._seen.add(id_)
            yield Article(id_, page.title or id_, page.body, url)


def _id(url: str) -> str:
    parts = urlsplit(url)
    path = [part for part in unquote(parts.path).strip("/").removesuffix(".html").split("/") if part]
    path = path[:-1] if path[-1:] == ["index"] else path
    named = [*(path or ["index"]), *([parts.query] if parts.query else [])]
    return ":".join(UNSAFE.sub("-", part.lower()) for part in named)
