"""Pictures of the pages that passages stand on, beside a knowledge base's index.

var/kb/NAME/pages/DIGEST/3.webp      page 3 of the article that had this digest
var/kb/NAME/pages/DIGEST/sizes.json  width and height by page

A name never stands for another picture, so that versions of an index share what has not changed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from handrail.types import PageImage

FOLDER = "pages"
SIZES, SUFFIX = "sizes.json", ".webp"
NAME = re.compile(r"([0-9a-f]{20})-([1-9]\d{0,6})")
KEPT_S = 30 * 86_400
"""For how long pictures stay that no article uses any more, for who goes back to an earlier version."""

Draw = Callable[[Collection[int], Path], Mapping[int, tuple[int, int]]]
"""Writes `N.webp` into a folder for each of the pages that there is a picture of; their widths and heights."""


class PageImages:
    def __init__(self, folder: Path) -> None:
        """`folder` is the knowledge base's own."""
        self._folder = folder / FOLDER

    def of(self, digest: str, pages: Collection[int], draw: Draw) -> dict[int, PageImage]:
        """By page; drawn where they are not there yet. Raises what `draw` raises, and OSError."""
        place = self._folder / digest
        sizes = _sizes(place)
        if not set(pages) <= sizes.keys():
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._folder, prefix=".part-", ignore_cleanup_errors=True) as part:
                made = Path(part) / digest
                made.mkdir()
                sizes = draw(pages, made)
                (made / SIZES).write_text(json.dumps(sizes), encoding="utf-8")
                shutil.rmtree(place, ignore_errors=True)
                made.rename(place)
        return {page: PageImage(f"{digest}-{page}", *sizes[page]) for page in pages if page in sizes}

    def read(self, name: str) -> bytes | None:
        """A WebP file; None where there is none of this name."""
        found = NAME.fullmatch(name)
        if found is None:
            return None
        with suppress(OSError):
            return (self._folder / found[1] / f"{found[2]}{SUFFIX}").read_bytes()
        return None

    def prune(self, used: Collection[str]) -> None:
        """Remove those of articles whose digests have not been among `used` for a while."""
        now = time.time()
        for place in self._folder.iterdir() if self._folder.is_dir() else ():
            with suppress(OSError):
                if place.name in used:
                    os.utime(place)
                elif place.stat().st_mtime < now - KEPT_S:
                    shutil.rmtree(place, ignore_errors=True)


def _sizes(place: Path) -> Mapping[int, tuple[int, int]]:
    try:
        said = json.loads((place / SIZES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {int(page): (width, height) for page, (width, height) in said.items()}
