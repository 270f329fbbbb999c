"""reStructuredText as a reader of the built site sees it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("docutils")

from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.folder import Folder
from handrail.knowledge.includes import MOST_CHARS
from handrail.text.markdown import parse


def read(root: Path, **texts: str) -> dict[str, Article | Rejected | Unpublished]:
    (root / "conf.py").write_text(
        'rst_prolog = """\n.. |shop| replace:: Brimley\n"""\nhtml_baseurl = "https://h.example/"\n'
    )
    for name, text in texts.items():
        (root / f"{name}.rst").write_text(text)
    found = Folder(root, "", 100_000).articles()
    return {getattr(item, "id", item.where if isinstance(item, Rejected) else ""): item for item in found}


def body(root: Path, text: str, **others: str) -> str:
    found = read(root, page=f"Page\n====\n\n{text}\n", **others)["page"]
    assert isinstance(found, Article), found
    return found.body


def test_a_page_has_its_title_its_sections_and_its_address(tmp_path: Path) -> None:
    found = read(
        tmp_path, page="Send a parcel\n=============\n\nPack it.\n\nBy post & rail\n--------------\n\nGo there.\n"
    )

    article = found["page"]
    assert isinstance(article, Article)
    assert (article.title, article.url) == ("Send a parcel", "https://h.example/page.html")
    assert [(block.headings, block.render()) for block in parse(article.body)] == [
        ((), "Pack it."),
        (("By post & rail",), "Go there."),
    ]
    assert parse(article.body)[1].anchor == "by-post-rail"


def test_a_note_says_its_kind_and_keeps_what_it_holds(tmp_path: Path) -> None:
    [note] = parse(body(tmp_path, ".. warning::\n\n   Close the valve.\n\n   - Then wait."))

    assert note.kind == "note"
    assert "**Warning:**" in note.render() and "Close the valve." in note.render() and "Then wait." in note.render()


def test_tabs_are_sections_that_end_with_the_last_tab(tmp_path: Path) -> None:
    tabs = (
        ".. tabs::\n\n   .. tab:: macOS\n\n      Press Cmd.\n\n   .. tab:: Windows\n\n      Press Ctrl.\n\nThen wait."
    )

    assert [(block.headings, block.render()) for block in parse(body(tmp_path, tabs))] == [
        (("macOS",), "Press Cmd."),
        (("Windows",), "Press Ctrl."),
        ((), "Then wait."),
    ]


def test_references_say_the_titles_of_what_they_lead_to(tmp_path: Path) -> None:
    other = ".. _refunds:\n\nMoney back\n==========\n\nText.\n"

    said = body(tmp_path, "See :ref:`refunds`, :doc:`other` and :ref:`this one <refunds>`.", other=other)

    assert said == "See Money back, Money back and this one."


def test_substitutions_includes_and_roles_are_what_they_stand_for(tmp_path: Path) -> None:
    (tmp_path / "shared.txt").write_text("Ask the owner.")

    said = body(tmp_path, "Open :guilabel:`Save as` in |shop|: press :kbd:`Ctrl`.\n\n.. include:: shared.txt\n")

    assert said == "Open **Save as** in Brimley: press Ctrl.\n\nAsk the owner."


def test_a_file_outside_the_source_is_not_included(tmp_path: Path) -> None:
    inner = tmp_path / "docs"
    inner.mkdir()
    (tmp_path / "secret.txt").write_text("The safe opens with 1234.")

    assert body(inner, "Text.\n\n.. include:: ../secret.txt\n\n.. raw:: html\n   :file: ../secret.txt\n") == "Text."


def test_no_directive_that_nobody_knows_reaches_a_reader_and_its_content_does(tmp_path: Path) -> None:
    sparkle = ".. sparkle:: 7\n   :size: big\n\n   Shine *on*."

    said = body(tmp_path, f".. toctree::\n\n   other\n\n{sparkle}\n\n.. image:: a.png\n   :alt: A shot")

    assert said == "**7**\n\nShine *on*."


def test_a_page_that_is_kept_from_search_is_not_public(tmp_path: Path) -> None:
    found = read(tmp_path, page=":nosearch:\n\nPage\n====\n\nText.\n")

    assert isinstance(found["page"], Unpublished)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (".. sparkle:: Ask Ada.", "Ask Ada."),
        (".. sparkle::\n   Ask Ada.", "Ask Ada."),
        (".. sparkle:: Help\n   Ask Ada.\n\n   Or Bob.", "Help Ask Ada. Or Bob."),
        (".. sparkle::\n   :size: big\n\n   Ask Ada.", "Ask Ada."),
        (".. note::\n   :collapsible: open\n\n   Ask Ada.", "Note: Ask Ada."),
        (".. note:: Ask\n   :class: 7\n\n   Ada.", "Note: Ask Ada."),
        (".. admonition:: Ask Ada.", "Ask Ada."),
        (".. list-table::\n   :header-rows: many\n\n   * - Ask\n     - Ada.", "- - Ask - Ada."),
        (".. csv-table::\n   :widths: 1,2,3,4\n\n   Ask,Ada", "Ask,Ada"),
        (".. code-block::\n   ask(ada)", "``` ask(ada) ```"),
        ("+---+\n| Ask Ada.\n", "``` +---+ | Ask Ada. ```"),
        ("A fee [#f]_.\n\n.. [#f] Ask Ada.", "A fee . Ask Ada."),
        ("1" + "9" * 5000 + ". Ask Ada.", "999999999. Ask Ada."),
    ],
)
def test_what_docutils_would_leave_out_is_read(tmp_path: Path, text: str, words: str) -> None:
    assert " ".join(re.sub(r"[>*]", "", body(tmp_path, text)).split()) == words


@pytest.mark.parametrize("text", ["   term\n      Ask Ada.", "\n   term\n      Ask Ada."])
def test_a_glossary_is_its_terms_and_what_they_mean(tmp_path: Path, text: str) -> None:
    assert body(tmp_path, f".. glossary::\n{text}") == "**term**: Ask Ada."
    assert body(tmp_path, ".. glossary::\n   :sorted:\n\n   one\n   two : t\n      Ask *Ada*.\n\n   three") == (
        "**one, two**: Ask *Ada*.\n\n**three**"
    )
    assert body(tmp_path, "Text.\n\n.. glossary::") == "Text."


def test_merged_cells_are_written_in_each_field_and_inner_tables_once(tmp_path: Path) -> None:
    table = "+---+---+\n| a | b |\n+---+   +\n| c |   |\n+---+---+\n"
    inner = "+---+---------+\n| f | +--+--+ |\n|   | |g |h | |\n|   | +--+--+ |\n+---+---------+\n"

    found = [block for block in parse(body(tmp_path, f"{table}\nText.\n\n{inner}")) if block.kind == "table"]

    assert [block.units for block in found] == [("| a | b |", "| c | b |"), ("| f | g h |",)]


def test_literal_includes_have_no_more_room_than_others(tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_text("word " * 20_000)
    literal = ".. include:: large.txt\n   :literal:\n\n.. literalinclude:: large.txt\n\n"

    found = body(tmp_path, literal * 30)

    assert MOST_CHARS <= len(found) <= MOST_CHARS + 200_000
