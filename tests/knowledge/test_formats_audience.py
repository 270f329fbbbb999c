"""Whatever the format, what a file says of whom it is for is kept to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats import FORMATS
from handrail.stores.audience import FACET, Audience

CODE = "Override code 7."


def _led(body: str) -> str:
    return "---\n{field}: {value}\n---\n" + body


FILES = {
    "markdown:Markdown": _led(f"# Fraud\n\n{CODE}\n"),
    "plain:Plain": _led(f"FRAUD\n\n{CODE}\n"),
    "html:Html": _led(f"<html><body><h1>Fraud</h1><p>{CODE}</p></body></html>"),
    "rst:Rst": f".. _fraud:\n\n:{{field}}: {{value}}\n\nFraud\n=====\n\n{CODE}\n",
    "rows:Rows": f"question,answer,{{field}}\nFraud?,{CODE},{{value}}\n",
    "blocks:Blocks": '{{"{field}": "{value}", "chunks": [{{"type": "text", "text": "' + CODE + '"}}]}}',
}
"""A page by its format, which says one thing of whom it is for; PDF and DOCX files have no place to say it."""
SUFFIX = {"markdown:Markdown": ".md", "rows:Rows": ".csv"}
SAYING = sorted({name for name in FORMATS.values() if not name.startswith(("pdf:", "docx:"))})


def read(folder: Path, name: str, field: str, value: str) -> list[Article | Rejected | Unpublished]:
    suffix = SUFFIX.get(name) or next(suffix for suffix, kind in FORMATS.items() if kind == name)
    (folder / f"fraud{suffix}").write_text(FILES[name].format(field=field, value=value))
    return list(Folder(folder, "", 100_000).articles())


@pytest.mark.parametrize("name", SAYING)
def test_a_page_for_agents_is_for_agents(tmp_path: Path, name: str) -> None:
    [page] = read(tmp_path, name, "audience", "agents")

    assert isinstance(page, Article)
    assert page.facets[FACET] == Audience.AGENTS.value
    assert CODE in page.body


@pytest.mark.parametrize("name", SAYING)
@pytest.mark.parametrize(("field", "value"), [("published", "false"), ("draft", "true"), ("visibility", "internal")])
def test_a_page_that_is_not_public_is_no_article(tmp_path: Path, name: str, field: str, value: str) -> None:
    found = read(tmp_path, name, field, value)

    assert [type(one) for one in found] == [Unpublished]


@pytest.mark.parametrize("name", SAYING)
def test_a_page_of_unclear_audience_is_withdrawn(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, name, "audience", "staff only")

    assert [type(one) for one in found] == [Rejected, Unpublished]


def test_fields_behind_the_title_of_a_page_count_too(tmp_path: Path) -> None:
    (tmp_path / "fraud.rst").write_text(f"Fraud\n=====\n\n:audience: agents\n\n{CODE}\n")

    [page] = Folder(tmp_path, "", 100_000).articles()

    assert isinstance(page, Article) and page.facets[FACET] == Audience.AGENTS.value


def test_the_title_of_a_page_for_agents_is_in_no_other_page(tmp_path: Path) -> None:
    (tmp_path / "b.rst").write_text(f":audience: agents\n\nFraud override code 7\n=====================\n\n{CODE}\n")
    (tmp_path / "a.rst").write_text("Start\n=====\n\nSee :doc:`b`.\n")

    pages = {one.id: one for one in Folder(tmp_path, "", 100_000).articles() if isinstance(one, Article)}

    assert "override" not in pages["a"].body


def test_what_is_parsed_says_it_in_its_metadata_as_well(tmp_path: Path) -> None:
    said = {"metadata": {"Audience": "agents"}, "data": {"chunks": [{"type": "text", "text": CODE}]}}
    (tmp_path / "fraud.json").write_text(json.dumps(said))

    [page] = Folder(tmp_path, "", 100_000).articles()

    assert isinstance(page, Article) and page.facets[FACET] == Audience.AGENTS.value


@pytest.mark.parametrize("name", ["a.html", "b.md", "c.json"])
def test_a_hostile_file_is_named_and_the_rest_goes_on(tmp_path: Path, name: str) -> None:
    hostile = {
        "a.html": '<link rel="canonical" href="http://[oops/"><p>Text.</p>',
        "b.md": f"<table><tr><td colspan={'9' * 4500}>Text.</td></tr></table>\n",
        "c.json": json.dumps({"chunks": [{"type": "text", "text": "Text.", "page": 1, "box": [10**400, 0, 1, 1]}]}),
    }
    (tmp_path / name).write_text(hostile[name])
    (tmp_path / "z.md").write_text("# Last\n\nText.\n")

    found = list(Folder(tmp_path, "", 100_000).articles())

    assert found[-1].id == "z" if isinstance(found[-1], Article) else False
    assert len(found) == 2
