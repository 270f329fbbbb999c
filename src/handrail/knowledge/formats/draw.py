"""Draws pages, in the process in which documents are read: libraries that draw can be killed by a file, too."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

WIDTH, MOST_PIXELS = 1200, 2_400_000
"""Of a picture, as far as the page fills them: text of ten points is well read."""
MOST_GIVEN = 60_000_000
"""Pixels of a picture that is given."""
QUALITIES, MOST_BYTES = (60, 30, 10), 400_000
"""The first of these qualities of WebP in which a picture is no larger than this is taken."""


def pdf(data: bytes, folder: str, numbers: str) -> dict[str, Any]:
    """Pages of a PDF, whose numbers are joined by commas. Those that can't be drawn are left out."""
    import pypdfium2

    sizes: dict[str, tuple[int, int]] = {}
    document = pypdfium2.PdfDocument(data)
    for number in map(int, numbers.split(",")):
        if number > len(document):
            continue
        page = document[number - 1]
        page.set_cropbox(*page.get_mediabox())  # places of text are shares of it
        width, height = page.get_size()
        scale = min(WIDTH / width, (MOST_PIXELS / (width * height)) ** 0.5)
        if size := _kept(page.render(scale=scale).to_pil(), Path(folder) / f"{number}.webp"):
            sizes[str(number)] = size
        page.close()
    return {"sizes": sizes}


def pictures(data: bytes, folder: str) -> dict[str, Any]:
    """Pictures that somebody else has drawn: JSON of their paths by page. Those that can't be read are left out."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_GIVEN // 2  # twice as many are an error
    sizes: dict[str, tuple[int, int]] = {}
    for page, path in json.loads(data).items():
        with suppress(Exception), Image.open(path, formats=("PNG", "JPEG", "WEBP", "TIFF")) as given:
            given.thumbnail((WIDTH, 2 * WIDTH))
            if size := _kept(given.convert("RGB"), Path(folder) / f"{page}.webp"):
                sizes[page] = size
    return {"sizes": sizes}


def _kept(picture: Any, path: Path) -> tuple[int, int] | None:
    """Width and height; None where it is too large however it is written."""
    for quality in QUALITIES:
        held = io.BytesIO()
        picture.save(held, "WEBP", quality=quality)
        if held.tell() <= MOST_BYTES:
            path.write_bytes(held.getvalue())
            return picture.size[0], picture.size[1]
    return None
