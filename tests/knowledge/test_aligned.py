"""Tables of a PDF whose cells only stand under one another, and what looks like one and is none."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, ListFlowable, Paragraph, Spacer, Table

from handrail.knowledge.formats.pdf import parse
from handrail.text.markdown import parse as blocks_of
from tests.knowledge.documents import STYLES, columns, heading, pdf, text, title

FARES = [
    ["Route", "Adult", "Child"],
    ["Harbour", "11 euros", "6 euros"],
    ["Island", "14 euros", "7 euros"],
    ["Old town", "9 euros", "free"],
]
CARDS = [
    ["Machine", "Card", "Also accepted"],
    ["Scissor lift", "IPAF", "PASMA with supervision"],
    ["Telehandler", "CPCS", "NPORS"],
    ["Mobile tower", "PASMA", "induction at the depot"],
    ["Wood chipper", "LANTRA", "induction at the depot"],
]
SAID = (
    "Passengers may change a crossing until two days before it leaves, at no cost. Later changes cost a third of the "
    "fare. Dogs travel on deck or in the owner's cabin, on a lead. Bicycles are carried free of charge where there is "
    "room for them, and groups of more than ten ask the office first. "
)
BOLD = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")


def tables(data: bytes) -> list[list[list[str]]]:
    found = [block for block in blocks_of(parse(data).text) if block.kind == "table"]
    rows = [[block.header.split("\n")[0], *block.units] for block in found]
    return [[[cell.strip() for cell in row.split("|")[1:-1]] for row in table] for table in rows]


def drawn(*lines: tuple[float, float, str]) -> bytes:
    """Each line where it is said to stand: from the left, and from the top."""
    held = io.BytesIO()
    canvas = Canvas(held, pagesize=A4, invariant=True)
    canvas.setFont("Helvetica", 10)
    for left, top, said in lines:
        canvas.drawString(left, A4[1] - top, said)
    canvas.save()
    return held.getvalue()


def lines_of(said: str, size: int) -> list[str]:
    words, lines = said.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > size:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def side_by_side(*texts: Sequence[str], apart: float) -> bytes:
    """Columns of lines, drawn one line across all of them after another."""
    height = max(map(len, texts))
    return drawn(
        *(
            (60 + n * apart, 80 + 13 * row, column[row])
            for row in range(height)
            for n, column in enumerate(texts)
            if row < len(column)
        )
    )


UNRULED: dict[str, Callable[[], bytes]] = {
    "figures": lambda: pdf(heading("Fares"), text(SAID), Table(FARES), text(SAID)),
    "bold header": lambda: pdf(text(SAID), Table(FARES, style=[BOLD])),
    "rule under the header": lambda: pdf(text(SAID), Table(FARES, style=[("LINEBELOW", (0, 0), (-1, 0), 1, "black")])),
    "right-aligned": lambda: pdf(Table(FARES, colWidths=120, style=[("ALIGN", (1, 0), (-1, -1), "RIGHT")])),
    "set tightly": lambda: side_by_side(*zip(*FARES, strict=True), apart=110),
    "beside prose": lambda: columns(text(SAID), Table(FARES), *[text(SAID)] * 8),
    "striped": lambda: pdf(Table(FARES, style=[("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, colors.beige])])),
}


@pytest.mark.parametrize("between", ["Prices for the night boats:", "Tickets"])
def test_a_line_of_prose_between_two_tables_parts_them(between: str) -> None:
    fares, cards = (Table(rows, style=[BOLD], hAlign="LEFT") for rows in (FARES, CARDS))
    story = [fares, Spacer(1, 12), text(between), Spacer(1, 12), cards]

    assert tables(pdf(text(SAID), *story)) == [FARES, CARDS]


@pytest.mark.parametrize("name", UNRULED)
def test_cells_that_stand_under_one_another_are_a_table(name: str) -> None:
    assert tables(UNRULED[name]()) == [FARES]


@pytest.mark.parametrize(
    "story",
    [
        [Table(CARDS, style=[BOLD])],
        [text("Table 2: Cards by machine"), Table(CARDS)],
        [Table(CARDS, style=[("LINEABOVE", (0, 0), (-1, 0), 1, "black"), ("LINEBELOW", (0, 0), (-1, 0), 1, "black")])],
    ],
    ids=["bold header", "caption", "rules"],
)
def test_a_table_of_words_is_told_by_its_header_caption_or_rules(story: list[Flowable]) -> None:
    assert tables(pdf(title("Cards"), text(SAID), *story, text(SAID))) == [CARDS]


def test_lines_of_a_cell_stay_together_and_an_empty_cell_stays_empty() -> None:
    rows = [
        ["Item", "What it covers", "Price"],
        ["Basic", "Breakdowns on the road within fifty kilometres of the port, day and night", "12 euros"],
        ["Plus", "Everything in Basic, and the way home for all passengers of the car", "19 euros"],
        ["Island", "", "4 euros"],
    ]
    shown = [rows[0], *([name, text(covered), price] for name, covered, price in rows[1:])]
    style = [BOLD, ("TOPPADDING", (0, 0), (-1, -1), 8)]

    assert tables(pdf(text(SAID), Table(shown, colWidths=[80, 180, 80], style=style))) == [rows]


def test_a_header_over_several_columns_stands_in_each_of_them() -> None:
    rows = [["", "Price in euros", "", "Notes"], *([f"Route {n}", f"{n + 10}", f"{n}", "daily"] for n in range(1, 6))]

    style = [BOLD, ("SPAN", (1, 0), (2, 0)), ("ALIGN", (1, 0), (2, 0), "CENTER")]

    (found,) = tables(pdf(Table(rows, colWidths=90, style=style)))

    assert found[0] == ["", "Price in euros", "Price in euros", "Notes"]
    assert found[3] == ["Route 3", "13", "3", "daily"]


def test_each_cell_is_known_by_its_place() -> None:
    body = parse(UNRULED["figures"]())

    (at,) = [n for n, line in enumerate(body.lines) if "Island" in line]

    boxes = [place.box for place in body.places[at] if place.box]
    assert len(boxes) == 3
    assert boxes == sorted(boxes)
    assert all(left[2] < right[0] for left, right in pairwise(boxes))


JUSTIFIED = ParagraphStyle("justified", parent=STYLES["BodyText"], alignment=TA_JUSTIFY)
HOURS = [("Monday", "9 am to 5 pm"), ("Tuesday", "9 am to 5 pm"), ("Wednesday", "closed"), ("Thursday", "9 am to 8 pm")]


def justified(said: str) -> Flowable:
    return Paragraph(said, JUSTIFIED)


NO_TABLE: dict[str, Callable[[], bytes]] = {
    "two columns": lambda: columns(*[text(SAID)] * 16),
    "three justified columns": lambda: columns(*[justified(SAID)] * 30, number=3),
    "two columns, line by line": lambda: side_by_side(lines_of(SAID * 3, 44), lines_of(SAID * 3, 46), apart=240),
    "three columns, line by line": lambda: side_by_side(*[lines_of(SAID * 2, 28)] * 3, apart=165),
    "justified": lambda: pdf(*[justified(SAID)] * 6),
    "bullets": lambda: pdf(ListFlowable([text(f"Ask at pier {n}") for n in range(6)], bulletType="bullet")),
    "steps": lambda: pdf(ListFlowable([text(f"Wait at pier {n}, then {SAID}") for n in range(6)], leftIndent=40)),
    "bullets in two columns": lambda: side_by_side(
        [f"• Hammer {n}" for n in range(6)], [f"• Saw {n}" for n in range(6)], apart=200
    ),
    "names in three columns": lambda: side_by_side(
        ["Norway", "Sweden", "Denmark", "Iceland"],
        ["France", "Spain", "Italy", "Malta"],
        ["Chile", "Peru", "Cuba", "Haiti"],
        apart=120,
    ),
    "opening hours": lambda: side_by_side([day for day, _ in HOURS], [time for _, time in HOURS], apart=120),
    "contents": lambda: side_by_side(
        ["Introduction", "Fares", "Changes", "Complaints"], ["3", "7", "12", "15"], apart=300
    ),
    "numbered contents": lambda: side_by_side(
        ["1", "1.1", "2", "2.1"], ["Introduction", "Scope", "Fares", "Children under 12"], apart=60
    ),
    "letter": lambda: drawn(
        (60, 80, "Northern Line Ferries"), (400, 80, "2 March 2026"), (60, 93, "Pier 4"),
        (400, 93, "Our reference 77/12"),
        *((60, 140 + 13 * n, line) for n, line in enumerate(lines_of(SAID * 3, 80))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_TABLE)
def test_prose_in_columns_and_lists_are_no_tables(name: str) -> None:
    assert tables(NO_TABLE[name]()) == []


def test_of_prose_in_columns_nothing_is_lost() -> None:
    said: Any = parse(NO_TABLE["two columns"]()).text

    assert said.count("no cost") == 16
