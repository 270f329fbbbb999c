"""Documents made for tests, in the formats that offices write."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import docx
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Table,
)

from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.folder import Folder

GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
STYLES = getSampleStyleSheet()


def read(path: Path, max_bytes: int = 2_000_000) -> list[Article | Rejected | Unpublished]:
    return list(Folder(path, "https://help.example", max_bytes).articles())


def article_of(path: Path) -> Article:
    (found,) = read(path)
    assert isinstance(found, Article), found
    return found


def pdf(*story: Flowable, footer: Callable[[int], str] | None = None, header: str = "") -> bytes:
    def margins(canvas: Any, page: Any) -> None:
        canvas.drawString(60, 820, header)
        canvas.drawString(60, 20, footer(page.page) if footer else "")

    held = io.BytesIO()
    SimpleDocTemplate(held, pagesize=A4, invariant=True).build(list(story), onFirstPage=margins, onLaterPages=margins)
    return held.getvalue()


def columns(*story: Flowable, number: int = 2) -> bytes:
    """A PDF whose pages have so many columns."""
    held = io.BytesIO()
    width = (A4[0] - 100) / number
    frames = [Frame(50 + n * width, 60, width - 12, A4[1] - 120, id=str(n)) for n in range(number)]
    document = BaseDocTemplate(held, pagesize=A4, invariant=True)
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build(list(story))
    return held.getvalue()


def title(text: str) -> Paragraph:
    return Paragraph(text, STYLES["Title"])


def heading(text: str) -> Paragraph:
    return Paragraph(text, STYLES["Heading2"])


def text(said: str) -> Paragraph:
    return Paragraph(said, STYLES["BodyText"])


def table(rows: Sequence[Sequence[str]], *merged: tuple[str, tuple[int, int], tuple[int, int]]) -> Table:
    return Table([list(row) for row in rows], repeatRows=1, style=[*GRID, *merged])


def page_break() -> Flowable:
    return PageBreak()


def word(write: Callable[[Any], object]) -> bytes:
    document = docx.Document()
    write(document)
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def chunk(kind: str, markdown: str, page: int = 0, box: Sequence[float] = (0.1, 0.1, 0.9, 0.2)) -> dict[str, Any]:
    return {"id": f"{kind}-{page}", "type": kind, "markdown": markdown, "grounding": ground(page, box)}


def ground(page: int, box: Sequence[float]) -> dict[str, Any]:
    return {"page": page, "box": dict(zip(("left", "top", "right", "bottom"), box, strict=True))}


def parsed(
    folder: Path, *chunks: dict[str, Any], cells: dict[str, Any] | None = None, name: str = "parsed.json"
) -> Path:
    path = folder / name
    path.write_text(json.dumps({"chunks": chunks, "grounding": cells or {}}), encoding="utf-8")
    return path
