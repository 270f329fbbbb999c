"""A corpus that is measured is the corpus that is there, and what of it could not be used is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from eval.datasets.articles import KnownArticles
from eval.datasets.corpus import loader_of
from eval.datasets.retrieval import RETRIEVAL
from eval.selection import Source, index, on, select
from handrail.assembly import current_index
from handrail.knowledge.folder import Folder
from handrail.knowledge.wixqa import WixQA
from handrail.settings import Settings, load_settings
from tests.eval.files import write_lines

QUIET = Console(quiet=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(environ={"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data")})


def indexed(settings: Settings) -> set[str]:
    with current_index(settings) as store:
        return set(store.stamps())


@pytest.mark.models
def test_what_left_the_folder_leaves_the_index_though_a_file_cannot_be_read(tmp_path: Path, settings: Settings) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in ("kept", "gone"):
        (pages / f"{name}.md").write_text(f"# {name}\n\nOn the {name} shelf.\n", encoding="utf-8")
    (pages / "odd.md").write_bytes(b"\xff\xfe\xfd")
    (pages / "empty.md").write_text("", encoding="utf-8")
    settings = on(settings, "eval-pages")

    index(settings, loader_of(pages, settings), QUIET)
    assert indexed(settings) == {"kept", "gone"}
    (pages / "gone.md").unlink()
    said = index(settings, loader_of(pages, settings), QUIET)

    assert indexed(settings) == {"kept"}
    assert said == (
        f"not in the knowledge base: 1 not readable ({pages / 'odd.md'})",
        "not in the knowledge base: 1 without text (empty)",
    )


@pytest.mark.models
def test_the_sample_is_indexed_where_it_is_measured_for_the_first_time(
    tmp_path: Path, settings: Settings, articles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.cli.ingest.sample_folder", lambda: articles)
    rows = write_lines(tmp_path / "rows.jsonl", [{"question": "How do I reset my password?"}])

    select("retrieval", RETRIEVAL, settings, Source(file=rows), None, QUIET)

    assert len(indexed(settings)) == len(list(articles.rglob("*.md")))


def test_a_readme_beside_a_file_of_articles_is_no_article(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "README.md").write_text("# About these articles\n", encoding="utf-8")
    row = {"id": "1", "title": "One", "contents": "One is first."}
    (tmp_path / "articles.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")

    assert isinstance(loader_of(tmp_path, settings), WixQA)
    (tmp_path / "page.md").write_text("# A page\n", encoding="utf-8")
    assert isinstance(loader_of(tmp_path, settings), Folder)


def test_a_file_name_is_enough_where_no_other_article_has_it() -> None:
    known = KnownArticles(["guides:images", "guides:start", "api:start"])

    assert known.resolve("Images") == "guides:images"
    assert known.resolve("start") is None
