"""Files that are damaged, hostile or far too large: one clear line each, in bounded time, and the rest goes on."""

from __future__ import annotations

import io
import json
import os
import time
import zipfile
from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped
from handrail.knowledge.formats import apart, docx
from tests.knowledge.articles import article, chunker
from tests.knowledge.documents import chunk, parsed, pdf, read, text, word

GOOD = "# Lost keys\n\nAsk at the office.\n"


def damaged(folder: Path, name: str, data: bytes) -> str:
    """Why a file beside a good one could not be used."""
    (folder / name).write_bytes(data)
    (folder / "zz-good.md").write_text(GOOD, encoding="utf-8")
    *bad, good = read(folder, max_bytes=60_000_000)
    assert isinstance(good, Article)
    (one,) = bad
    assert isinstance(one, Rejected)
    assert one.where.endswith(name)
    assert "\n" not in one.why
    return one.why


def some_pdf() -> bytes:
    return pdf(*(text(f"Paragraph {n} says something of the harbour.") for n in range(200)))


def some_word() -> bytes:
    return word(lambda document: [document.add_paragraph(f"Paragraph {n}.") for n in range(50)])


@pytest.mark.parametrize("keep", [0, 5, 100, 0.5])
def test_a_document_cut_short(tmp_path: Path, keep: float) -> None:
    for name, data in (("a.docx", some_word()), ("a.pdf", some_pdf())):
        folder = tmp_path / name
        folder.mkdir()
        size = int(keep * len(data)) if isinstance(keep, float) else keep
        assert "save it anew" in damaged(folder, name, data[:size])


def test_a_pdf_without_text_says_what_to_do(tmp_path: Path) -> None:
    assert "text recognition" in damaged(tmp_path, "scan.pdf", pdf(text("")))


def test_a_pdf_with_a_password(tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    held = io.BytesIO()
    canvas = Canvas(held, encrypt="secret")
    canvas.drawString(100, 100, "Only for those who know.")
    canvas.save()

    assert "password" in damaged(tmp_path, "locked.pdf", held.getvalue())


def test_a_zip_bomb_as_a_word_document(tmp_path: Path) -> None:
    held = io.BytesIO()
    with (
        zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(300):
            part.write(b"\0" * 1_000_000)

    assert "unpacks to" in damaged(tmp_path, "bomb.docx", held.getvalue())


def test_a_zip_that_is_no_word_document(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("hello.txt", "hello")

    assert "not a Word document" in damaged(tmp_path, "hello.docx", held.getvalue())


def with_entities(levels: int) -> bytes:
    """A Word document that says `Opening hours` and an entity that stands for `10 ** levels` letters."""
    xml = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(levels - 1)
    )
    xml += b']><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
    xml += b"<w:t>Opening hours &%c;</w:t></w:r></w:p></w:body></w:document>" % (96 + levels)
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(some_word())) as good, zipfile.ZipFile(held, "w") as made:
        for part in good.infolist():
            made.writestr(part.filename, xml if part.filename == "word/document.xml" else good.read(part))
    return held.getvalue()


def test_entities_stay_unread(tmp_path: Path) -> None:
    (tmp_path / "few.docx").write_bytes(with_entities(3))

    (found,) = read(tmp_path)

    assert isinstance(found, Article)
    assert found.body == "Opening hours"


def test_entities_that_multiply_cost_the_document_only(tmp_path: Path) -> None:
    assert "save it anew" in damaged(tmp_path, "bomb.docx", with_entities(10))


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.json", "a.jsonl", "a.md"])
def test_a_wrong_encoding(tmp_path: Path, name: str) -> None:
    assert "not UTF-8 (byte 3)" in damaged(tmp_path, name, b"caf\xe9 au lait")
    assert "not UTF-16" in damaged(tmp_path, name, b"\xff\xfea")
    assert "binary data" in damaged(tmp_path, name, b"text\0more")


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.docx", "a.csv"])
def test_more_bytes_than_are_read(tmp_path: Path, name: str) -> None:
    with (tmp_path / name).open("wb") as large:
        large.truncate(50_000_001)

    (found,) = read(tmp_path)

    assert isinstance(found, Rejected)
    assert "50000001 bytes is more than knowledge.max_article_bytes" in found.why


def test_deep_nesting(tmp_path: Path) -> None:
    assert "nested too deeply" in damaged(tmp_path, "deep.json", b'{"chunks":' * 200_000)
    (tmp_path / "deep.json").unlink()
    html = "<table>" + "<tr><td><table>" * 20_000 + "deep"
    parsed(tmp_path, chunk("table", html), chunk("text", "Some text."), chunk("text", "> " * 2000 + "deep"))

    found, _ = read(tmp_path)

    assert isinstance(found, Article)
    assert chunker().passages(found)


def test_ten_thousand_columns(tmp_path: Path) -> None:
    names = ",".join(f"column{n}" for n in range(10_000))
    assert "and 9988 more" in damaged(tmp_path, "wide.csv", f"{names}\n{names}\n".encode())
    cells = "".join(f"<td>{n}</td>" for n in range(10_000))
    parsed(tmp_path, chunk("table", f"<table><tr>{cells}</tr><tr>{cells}</tr></table>"), name="wide.json")

    found = next(one for one in read(tmp_path) if isinstance(one, Article) and one.id == "wide")

    assert max(passage.tokens for passage in chunker().passages(found)) <= 320


def test_cells_that_span_without_end(tmp_path: Path) -> None:
    cells = "<tr><td rowspan='99999999' colspan='99999999'>x</td></tr>" * 30
    (tmp_path / "x").mkdir()
    parsed(tmp_path / "x", chunk("table", f"<table>{cells}</table>"))

    (found,) = read(tmp_path / "x")

    assert isinstance(found, Article)
    assert 30 <= found.body.count("x") <= 30 * 30


def test_cells_that_stand_nowhere_near(tmp_path: Path) -> None:
    cells = [{"row": 999_999, "col": 999_999, "text": "x"}, {"row": 0, "col": 0, "text": "y"}]
    parsed(tmp_path, {**chunk("table", ""), "cells": cells})

    (found,) = read(tmp_path)

    assert isinstance(found, Rejected)


def test_numbered_lines_without_end(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("7. Save it\n\n" * 20_000, encoding="utf-8")

    (found,) = read(tmp_path)

    assert isinstance(found, Article)
    assert found.body.count("Save it") == 20_000 - (found.title == "7. Save it")


def test_a_table_without_end_has_no_passage_for_each_row() -> None:
    rows = "\n".join(f"| {n} | value |" for n in range(3000))

    passages = chunker().passages(article(f"| Key | Value |\n| --- | --- |\n{rows}"))

    assert len(passages) < 500


def test_a_document_that_takes_too_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(apart, "SECONDS", 1)
    (tmp_path / "slow_reader.py").write_text("import time\ndef parse(data):\n    time.sleep(60)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", ""))))
    start = time.monotonic()

    with pytest.raises(KnowledgeError, match="took more than 1 s"):
        apart.read_apart("slow_reader", "json", b"")

    assert time.monotonic() - start < 30


def test_a_document_that_takes_too_much_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "large_reader.py").write_text("def parse(data):\n    return bytearray(8 << 30)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", ""))))

    with pytest.raises(KnowledgeError, match="memory"):
        apart.read_apart("large_reader", "json", b"")


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pdfplumber", None)

    assert "documents]" in damaged(tmp_path, "a.pdf", some_pdf())


def test_names_that_mislead_and_links_out_are_skipped_in_these_formats_too(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret.pdf").write_bytes(some_pdf())
    (inside / "a.pdf").symlink_to(tmp_path / "secret.pdf")
    (inside / "b\x1b[2J.csv").write_text("q,a\nx,y\n", encoding="utf-8")
    (inside / "c.txt").symlink_to("/dev/zero")
    os.mkfifo(inside / "d.docx")
    (inside / "good.txt").write_text("Ask at the office.", encoding="utf-8")

    *bad, good = sorted(read(inside), key=lambda one: isinstance(one, Article))

    assert isinstance(good, Article)
    assert len(bad) == 4
    assert all(isinstance(one, Skipped) for one in bad)
    assert not any("\x1b" in one.where for one in bad if isinstance(one, Rejected))


def test_a_script_in_a_parsed_document_is_no_text(tmp_path: Path) -> None:
    parsed(tmp_path, chunk("table", "<table><tr><td>a<script>steal()</script></td></tr><tr><td>b</td></tr></table>"))

    (found,) = read(tmp_path)

    assert isinstance(found, Article)
    assert "steal" not in json.dumps(found.body)


def test_what_the_process_says_is_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(some_word())

    (found,) = read(tmp_path)

    assert isinstance(found, Article)
    assert found.body.split("\n") == docx.parse(some_word()).lines
    assert found.body.count("Paragraph") == 50
