"""Site maps: the pages that a site lists, or the maps that an index of them leads to."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass

from bs4 import BeautifulSoup
from bs4.element import Tag

from handrail.errors import KnowledgeError

MOST_MAPS, MOST_BYTES = 500, 50_000_000
"""Maps that an index leads to, and the bytes of one, as the protocol has it."""


@dataclass(frozen=True, slots=True)
class SiteMap:
    pages: tuple[tuple[str, str], ...]
    """Addresses as they are written, each with what is said of its last change."""
    maps: tuple[str, ...]


def site_map(body: bytes) -> SiteMap:
    """Raises KnowledgeError for what is packed and can't be unpacked; what is no site map lists nothing."""
    soup = BeautifulSoup(_unpacked(body), "xml")
    pages = tuple((loc, _said(entry, "lastmod")) for entry in soup.find_all("url") if (loc := _said(entry, "loc")))
    return SiteMap(pages, tuple(loc for entry in soup.find_all("sitemap") if (loc := _said(entry, "loc"))))


def _said(entry: Tag, name: str) -> str:
    found = entry.find(name, recursive=False)
    return found.get_text(strip=True) if isinstance(found, Tag) else ""


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        text = gzip.GzipFile(fileobj=io.BytesIO(body)).read(MOST_BYTES + 1)
    except (OSError, EOFError) as error:
        raise KnowledgeError(f"the site map can't be unpacked: {error}") from None
    if len(text) > MOST_BYTES:
        raise KnowledgeError(f"the site map is more than {MOST_BYTES} bytes")
    return text
