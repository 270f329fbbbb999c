"""Reports as Markdown, HTML, Word documents and JSON, with articles and models that write what they please."""

from __future__ import annotations

import io
import json
import zipfile
from xml.etree import ElementTree

import pytest

from handrail.answer.gate import Band
from handrail.report import Asked, Near, Report, Source, Written
from handrail.report.docx import WORD, docx
from handrail.report.page import page
from handrail.report.render import as_json, markdown, numbered
from handrail.types import Claim

STEPS, PRICES = "a:steps/1", "a:prices/0"
TABLE = "Prices:\n\n| Plan | Price |\n| --- | --- |\n| Solo | **EUR 14** |"
NESTED = "1. Open **Settings**.\n   - Choose `Domains`.\n2. Wait."
HOSTILE = (
    "<script>alert(1)</script> [press](javascript:alert(1)) [here](https://evil.example/x) "
    "![seen](https://evil.example/p.png) [there](https://help.example/b) <img src=x onerror=alert(1)> \x0b&amp;"
)
SOURCES = {
    STEPS: Source(title="Connect › <b>Steps</b>", url="https://help.example/a#steps"),
    "a:steps/2": Source(title="Connect › <b>Steps</b>", url="https://help.example/a#steps"),
    PRICES: Source(title="Prices [EUR]", url="javascript:alert(2)"),
}


def asked(text: str, *, answered: bool = False) -> Asked:
    near = Near(source=SOURCES[PRICES], probability=0.3)
    return Asked(text=text, probability=0.2, answered=answered, found=Band.CLOSEST, closest=(near,))


REPORT = Report(
    title="State of <things>",
    kb="acme",
    kb_version="v1",
    date="2026-11-28",
    model=None,
    parts=(
        Written(
            heading="Domains & <i>more</i>",
            how="written",
            claims=(
                Claim("Connect it in Settings.", (STEPS, "a:steps/2")),
                Claim(TABLE, (PRICES,)),
                Claim(NESTED, (STEPS,)),
                Claim("```\nset [1] <b>\n```", (PRICES,)),
            ),
            sources=SOURCES,
            asked=(asked("How?", answered=True), asked("Why <u>now</u>")),
        ),
        Written(heading="Hostile", how="written", claims=(Claim(HOSTILE, (PRICES, STEPS)),), sources=SOURCES),
        Written(heading="Staff", how="insufficient", failed="it has no credit."),
    ),
)


def test_sources_are_numbered_through_the_whole_report_and_a_section_of_an_article_has_one_number() -> None:
    read = numbered(REPORT)

    assert [source.title for source in read.sources] == ["Connect › <b>Steps</b>", "Prices [EUR]"]
    first, second, _ = read.sections
    assert first.text.startswith("Connect it in Settings [1].\n\nPrices:")
    assert (first.cited, second.cited) == ((1, 2), (1, 2))
    assert second.text.endswith("[2][1]")


def test_markdown_ends_with_gaps_and_one_list_of_sources() -> None:
    text = markdown(REPORT)

    assert text.count("## Sources") == 1
    assert text.index("## Staff\n\n[NOT WRITTEN] it has no credit.\n\n##") < text.index("## Data gaps")
    assert text.index("**Why \\<u\\>now\\</u\\>.** No section") < text.index("## Sources")
    assert "How?" not in text
    assert "\n# State of" not in text and text.startswith("# State of \\<things\\>\n")
    assert "1. [Connect › \\<b\\>Steps\\</b\\>](<https://help.example/a#steps>)\n2. [Prices \\[EUR\\]]" in text


def test_json_has_every_section_gap_and_source() -> None:
    told = json.loads(as_json(REPORT))

    assert [section["how"] for section in told["sections"]] == ["written", "written", "insufficient"]
    assert told["sections"][0]["citations"] == [1, 2]
    assert told["sections"][0]["asked"][1] == {
        "text": "Why <u>now</u>",
        "probability": 0.2,
        "answered": False,
        "found": "closest",
        "closest": [{"source": {"title": "Prices [EUR]", "url": "javascript:alert(2)"}, "probability": 0.3}],
    }
    assert [gap["section"] for gap in told["gaps"]] == ["Domains & <i>more</i>", "Staff"]
    assert [source["index"] for source in told["sources"]] == [1, 2]


def test_a_page_shows_what_others_wrote_as_text_and_marks_lead_to_their_sources() -> None:
    html = page(REPORT)

    for wrong in (
        "<script",
        "<img",
        "<i>more",
        "<u>now",
        "<b>Steps",
        "evil.example/p.png",
        'href="javascript',
        'href="https://evil',
    ):
        assert wrong not in html
    assert '<a href="https://help.example/b">there</a>' in html
    assert '<a class="cite" href="#source-2">[2]</a><a class="cite" href="#source-1">[1]</a>' in html
    assert 'id="source-1"' in html and 'id="source-3"' not in html
    assert "set [1] &lt;b&gt;" in html, "code is left alone"
    assert "<td><strong>EUR 14</strong></td>" in html


def test_a_document_opens_as_xml_and_has_headings_lists_tables_and_text() -> None:
    with zipfile.ZipFile(io.BytesIO(docx(REPORT))) as archive:
        assert archive.testzip() is None
        parts = {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}  # noqa: S314
    body = parts["word/document.xml"].find(f"{{{WORD}}}body")
    assert body is not None
    said = ["".join(one.itertext()) for one in body.iter(f"{{{WORD}}}p")]
    styles = [one.get(f"{{{WORD}}}val") for one in body.iter(f"{{{WORD}}}pStyle")]
    defined = {one.get(f"{{{WORD}}}styleId") for one in parts["word/styles.xml"].iter(f"{{{WORD}}}style")}

    assert said[0] == "State of <things>"
    assert styles == ["Heading1", "Heading2", "Heading2", "Heading2", "Heading2", "Heading2"]
    assert set(styles) <= defined
    assert any(one.startswith("• Why <u>now</u>. No section") for one in said)
    for text in (
        "1. Open Settings.",
        "• Choose Domains.",
        "2. Wait [1].",
        "Solo",
        "EUR 14",
        "[NOT WRITTEN] it has no credit.",
    ):
        assert text in said
    (table,) = body.iter(f"{{{WORD}}}tbl")
    assert len(list(table.iter(f"{{{WORD}}}gridCol"))) == 2
    assert [len(list(row.iter(f"{{{WORD}}}tc"))) for row in table.iter(f"{{{WORD}}}tr")] == [2, 2]
    assert {"[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels"} <= parts.keys()


@pytest.mark.parametrize("how", [markdown, page, as_json])
def test_a_report_without_gaps_says_so(how: object) -> None:
    whole = REPORT.model_copy(update={"parts": REPORT.parts[1:2]})

    text = how(whole)  # type: ignore[operator]

    assert "Nothing that the template asks for is missing." in text or json.loads(text)["gaps"] == []
