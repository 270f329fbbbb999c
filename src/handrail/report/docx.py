"""A report as a Word document: the few parts of Office Open XML (ECMA-376) that headings, text and tables need."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from itertools import takewhile
from xml.sax.saxutils import escape

from markdown_it.token import Token

from handrail.report import Report
from handrail.report.blocks import read
from handrail.report.render import about, closing, numbered

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
ILLEGAL = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML may not hold."""
INDENT = 360
"""Twentieths of a point for each level of a list."""
HEADINGS = {1: 36, 2: 28, 3: 24, 4: 22, 5: 22, 6: 22}
"""Sizes in half points."""
FONT = '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/>'
MONO = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>'
BORDERS = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:color="BBBBBB"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)
STYLES = (
    f'{HEAD}<w:styles xmlns:w="{WORD}"><w:docDefaults><w:rPrDefault><w:rPr>{FONT}<w:sz w:val="22"/></w:rPr>'
    '</w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault></w:docDefaults>'
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    + "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="240"/>'
        f'<w:outlineLvl w:val="{level - 1}"/></w:pPr><w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr></w:style>'
        for level, size in HEADINGS.items()
    )
    + "</w:styles>"
)
FILES = {
    "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{TYPE}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/_rels/document.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "word/styles.xml": STYLES,
}


def docx(report: Report) -> bytes:
    told = numbered(report)
    body = [_heading(1, report.title), _paragraph(_run(about(report), italic=True))]
    for section in told.sections:
        body += [_heading(2, section.heading), *_body(read(section.text, told.sources))]
    body += _body(read(closing(report, told.sources), told.sources, lowest=0))
    document = f'{HEAD}<w:document xmlns:w="{WORD}"><w:body>{"".join(body)}</w:body></w:document>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**FILES, "word/document.xml": document}.items():
            archive.writestr(name, text)
    return packed.getvalue()


def _body(tokens: Sequence[Token]) -> Iterator[str]:
    """Lists keep their markers as text: a numbering part of its own would say no more."""
    lists: list[int | None] = []
    style, marker = "", ""
    for at, token in enumerate(tokens):
        if token.type in ("ordered_list_open", "bullet_list_open"):
            lists.append(int(token.attrGet("start") or 1) if token.type.startswith("ordered") else None)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            number = lists[-1]
            marker = "• " if number is None else f"{number}. "
            lists[-1] = None if number is None else number + 1
        elif token.type == "heading_open":
            style = f'<w:pStyle w:val="Heading{token.tag[1]}"/>'
        elif token.type == "table_open":
            yield f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>{BORDERS}</w:tblBorders></w:tblPr>'
            yield f"<w:tblGrid>{'<w:gridCol/>' * _columns(tokens[at:])}</w:tblGrid>"
        elif token.type == "table_close":
            yield "</w:tbl><w:p/>"
        elif token.type in ("tr_open", "tr_close"):
            yield "<w:tr>" if token.nesting == 1 else "</w:tr>"
        elif token.type in ("th_open", "td_open", "th_close", "td_close"):
            yield "<w:tc>" if token.nesting == 1 else "</w:tc>"
        elif token.type == "inline" or token.type in ("fence", "code_block"):
            indent = f'<w:ind w:left="{INDENT * len(lists)}"/>' if lists else ""
            code = token.type != "inline"
            runs = _code(token.content) if code else "".join(_runs(token.children or []))
            yield _paragraph((_run(marker) if marker else "") + runs, style + indent)
            style, marker = "", ""


def _columns(tokens: Sequence[Token]) -> int:
    """Of the table that begins there."""
    row = takewhile(lambda token: token.type != "tr_close", tokens)
    return sum(token.type == "th_open" for token in row)


def _runs(tokens: Sequence[Token]) -> Iterator[str]:
    bold = italic = 0
    for token in tokens:
        if token.type.startswith("strong_"):
            bold += token.nesting
        elif token.type.startswith("em_"):
            italic += token.nesting
        elif token.type in ("softbreak", "hardbreak"):
            yield _run(" ") if token.type == "softbreak" else "<w:r><w:br/></w:r>"
        elif token.content:
            yield _run(token.content, bold=bool(bold), italic=bool(italic), mono=token.type == "code_inline")


def _run(text: str, *, bold: bool = False, italic: bool = False, mono: bool = False) -> str:
    marks = (MONO if mono else "") + ("<w:b/>" if bold else "") + ("<w:i/>" if italic else "")
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{escape(ILLEGAL.sub("", text))}</w:t></w:r>'


def _code(text: str) -> str:
    return "<w:r><w:br/></w:r>".join(_run(line, mono=True) for line in text.rstrip("\n").split("\n"))


def _paragraph(runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def _heading(level: int, text: str) -> str:
    return _paragraph(_run(text), f'<w:pStyle w:val="Heading{level}"/>')
