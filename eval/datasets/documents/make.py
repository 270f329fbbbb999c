"""Writes the documents of an invented tool-hire company: PDF, and JSON as document services give it.

`python -m eval.datasets.documents.make` writes `articles/` anew from `contents.json`. It needs reportlab.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

HERE = Path(__file__).parent
COMPANY = "Fenwick Tool Hire"
ROW, GAP = 0.022, 0.02
"""Height of a row and of the gap between two chunks, as shares of a page."""


def main() -> None:
    for document in json.loads((HERE / "contents.json").read_text(encoding="utf-8")):
        for part in document["parts"]:
            part["table"] = [row.split(" | ") for row in part.get("table", ())]
        path = HERE / "articles" / document["file"]
        if path.suffix == ".pdf":
            _pdf(path, document)
        else:
            path.write_text(json.dumps(_parsed(document), separators=(",", ":")) + "\n", encoding="utf-8")


def _pdf(path: Path, document: dict[str, Any]) -> None:
    styles = getSampleStyleSheet()

    def margins(canvas: Any, page: Any) -> None:
        canvas.drawString(60, 820, COMPANY)
        canvas.drawString(60, 20, f"Page {page.page}")

    story: list[Flowable] = [Paragraph(document["title"], styles["Title"])]
    for part in document["parts"]:
        if "heading" in part:
            story.append(Paragraph(part["heading"], styles["Heading2"]))
        elif part["table"]:
            story.append(Paragraph(part["title"], styles["BodyText"]))
            ruled = [] if part.get("unruled") else [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
            story.append(Table(part["table"], repeatRows=1, style=ruled))
            story.append(Spacer(1, 12))
        else:
            story.append(Paragraph(part["text"], styles["BodyText"]))
    made = SimpleDocTemplate(str(path), pagesize=A4, title=document["title"], invariant=True)
    made.build(story, onFirstPage=margins, onLaterPages=margins)


def _parsed(document: dict[str, Any]) -> dict[str, Any]:
    chunks: list[dict[str, Any]] = []
    grounding: dict[str, Any] = {}
    page, top = 0, 0.12

    def place(height: float) -> dict[str, Any]:
        nonlocal page, top
        if top + height > 0.95:
            page, top = page + 1, 0.08
        found = _ground(page, (0.1, top, 0.9, top + height))
        top += height + GAP
        return found

    def add(kind: str, markdown: str, ground: dict[str, Any]) -> None:
        chunks.append({"id": f"c{len(chunks)}", "type": kind, "markdown": markdown, "grounding": ground})

    add("logo", COMPANY, _ground(0, (0.1, 0.02, 0.3, 0.06)))
    add("text", f"# {document['title']}", place(ROW))
    for part in document["parts"]:
        if "heading" in part:
            add("text", f"## {part['heading']}", place(ROW))
        elif "figure" in part:
            add("figure", f"<::{part['figure']}: figure::>", place(0.3))
        elif part["table"]:
            add("text", f"**{part['title']}**", place(ROW))
            ground = place(ROW * len(part["table"]))
            add("table", _html(part["table"], len(chunks), ground, grounding), ground)
        else:
            add("text", part["text"], place(2 * ROW))
    add("marginalia", f"{COMPANY}, all prices in pounds", _ground(0, (0.1, 0.96, 0.9, 0.99)))
    return {"chunks": chunks, "grounding": grounding}


def _html(rows: Sequence[Sequence[str]], number: int, table: dict[str, Any], grounding: dict[str, Any]) -> str:
    """A field that says the same as the one above it in the first column is one merged cell."""
    lines = []
    left, width = 0.1, 0.8 / len(rows[0])
    for at, row in enumerate(rows):
        top = table["box"]["top"] + at * ROW
        cells = []
        for column, said in enumerate(row):
            if column == 0 and at and said == rows[at - 1][0]:
                continue
            same = (
                next((n for n, below in enumerate(rows[at:]) if below[0] != said), len(rows) - at) if not column else 1
            )
            span = f" rowspan='{same}'" if same > 1 else ""
            cell = f"{number}-{at}-{column}"
            x = left + column * width
            grounding[cell] = _ground(table["page"], (x, top, x + width, top + same * ROW))
            cells.append(f"<td id='{cell}'{span}>{said}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _ground(page: int, box: Sequence[float]) -> dict[str, Any]:
    sides = zip(("left", "top", "right", "bottom"), (round(side, 3) for side in box), strict=True)
    return {"page": page, "box": dict(sides)}


if __name__ == "__main__":
    main()
