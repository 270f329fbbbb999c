"""Word documents: headings, lists and tables as the styles say, and nothing lost of what stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.knowledge.formats.docx import parse
from handrail.text.markdown import parse as blocks_of
from tests.knowledge.documents import article_of, word


def handbook(document: Any) -> None:
    document.add_heading("Returns", 0)
    document.add_paragraph("Send things back within 30 days.")
    document.add_heading("How to send", 1)
    document.add_paragraph("Print the label", style="List Number")
    document.add_paragraph("Drop the parcel", style="List Number")
    document.add_heading("What it costs", 2)
    document.add_paragraph("Table 1: Fees by zone", style="Caption")
    table = document.add_table(3, 3)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(0, 2).text = "Zone", "Weight", "Fee"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "Europe"
    table.cell(1, 1).text, table.cell(1, 2).text = "1 kg", "4 euros"
    table.cell(2, 1).merge(table.cell(2, 2)).text = "no parcels"


def test_headings_lists_and_tables(tmp_path: Path) -> None:
    (tmp_path / "returns.docx").write_bytes(word(handbook))

    found = article_of(tmp_path)

    assert found.title == "Returns"
    assert found.body.split("\n\n") == [
        "Send things back within 30 days.",
        "## How to send",
        "1. Print the label\n1. Drop the parcel",
        "### What it costs",
        "**Table 1: Fees by zone**",
        "| Zone | Weight | Fee |\n| --- | --- | --- |\n| Europe | 1 kg | 4 euros |\n"
        "| Europe | no parcels | no parcels |",
    ]


def test_what_was_inserted_counts_and_what_was_deleted_does_not() -> None:
    def tracked(document: Any) -> None:
        paragraph = document.add_paragraph("Opens at ")
        for change in (
            "<w:del {}><w:r><w:delText>8</w:delText></w:r></w:del>",
            "<w:ins {}><w:r><w:t>9</w:t></w:r></w:ins>",
        ):
            paragraph._p.append(parse_xml(change.format(nsdecls("w"))))

    assert parse(word(tracked)).text == "Opens at 9"


def test_the_description_of_a_picture_is_a_figure() -> None:
    def pictured(document: Any) -> None:
        document.add_paragraph("See below.")._p.append(
            parse_xml(
                f'<w:r {nsdecls("w", "wp")}><w:drawing><wp:inline><wp:docPr id="1" name="x" '
                'descr="A map of the harbour"/></wp:inline></w:drawing></w:r>'
            )
        )

    assert [block.kind for block in blocks_of(parse(word(pictured)).text)] == ["paragraph", "figure"]


LINE = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=40)


@given(st.lists(st.tuples(st.sampled_from(["Normal", "Heading 1", "List Bullet", "Quote"]), LINE), max_size=12))
@settings(max_examples=40, deadline=None)
def test_no_letter_is_lost_invented_or_moved(lines: list[tuple[str, str]]) -> None:
    body = parse(word(lambda document: [document.add_paragraph(said, style=style) for style, said in lines]))

    assert letters(body.text) == letters("".join(said for _, said in lines))


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
