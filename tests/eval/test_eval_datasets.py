"""Datasets as specs: found, checked, and refused when they are not what they were."""

from __future__ import annotations

import json
import tarfile
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval.datasets.articles import KnownArticles
from eval.datasets.catalogue import catalogue, load_rows, named, verify
from eval.datasets.corpus import kb_name, loader_of, pages_digest, root_of, unpacked
from eval.datasets.lines import DatasetError
from eval.datasets.retrieval import RETRIEVAL
from eval.datasets.spec import Corpus, Rows, Spec
from eval.datasets.specs.wixqa import digest, loader
from eval.selection import Source, select
from handrail.cli import notes
from handrail.cli.eval import app
from handrail.knowledge import Article
from handrail.settings import Settings, load_settings
from tests.eval.files import write_lines

ARTICLES = [
    {"id": "a" * 64, "url": "https://x.example/a", "title": "One", "contents": "One is first."},
    {"id": "b" * 64, "url": "https://x.example/b", "title": "Two", "contents": "Two is next."},
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(environ={"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data")})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "docs"
    (pages / "guides").mkdir(parents=True)
    (pages / "start.mdx").write_text("# Start\n\nHello.\n", encoding="utf-8")
    (pages / "guides" / "images.md").write_text("# Images\n\nPut them here.\n", encoding="utf-8")
    return pages


def spec(corpus: Corpus | None = None, rows: Rows | None = None) -> Spec:
    return Spec("small", "two articles", "MIT", "here", "eval-small", {"retrieval": rows} if rows else {}, corpus)


def test_every_dataset_names_its_licence_and_all_of_wixqa_is_there() -> None:
    known = catalogue()

    assert {f"wixqa-{name}" for name in ("expertwritten", "simulated", "synthetic")} <= known.keys()
    assert all(item.licence and item.source and item.title for item in known.values())
    assert all("not a WixQA result" in (item.caveat or "") for name, item in known.items() if "wixqa-part" in name)


def test_the_list_is_printed_for_people_and_for_programs() -> None:
    shown = CliRunner().invoke(app, ["datasets"])
    printed = CliRunner().invoke(app, ["datasets", "--json"])

    assert "wixqa-synthetic" in shown.stdout
    rows = {(row["name"], row["command"]): row for row in json.loads(printed.stdout)}
    assert rows["wixqa-expertwritten", "retrieval"]["n"] == 200
    assert rows["sample", "retrieval"]["n"] == 150
    assert rows["bipia-test", "injection"]["rows_sha256"]


def test_a_name_nobody_knows_is_answered_with_those_there_are() -> None:
    with pytest.raises(DatasetError, match=r"there is no dataset 'wix'; there are: .*wixqa-expertwritten"):
        named("wix")


def test_a_part_is_not_taken_for_the_whole(tmp_path: Path, settings: Settings) -> None:
    write_lines(tmp_path / "kb.jsonl", ARTICLES)
    write_lines(tmp_path / "wixqa_expertwritten.jsonl", [{"question": "q", "answer": "a", "article_ids": ["a" * 16]}])
    whole = named("wixqa-expertwritten")

    with pytest.raises(DatasetError, match="1 rows instead of 200"):
        load_rows(whole, "retrieval", RETRIEVAL, tmp_path, None)
    with pytest.raises(DatasetError, match="2 articles instead of 6221"):
        verify(whole, settings, tmp_path)


def test_rows_that_changed_are_refused(tmp_path: Path) -> None:
    frozen = spec(rows=Rows(lambda _: [], n=0, sha256="0" * 64))

    with pytest.raises(DatasetError, match="its rows have changed since it was frozen"):
        load_rows(frozen, "retrieval", RETRIEVAL, None, None)
    with pytest.raises(DatasetError, match="has no rows for routing; it has retrieval"):
        load_rows(frozen, "routing", RETRIEVAL, None, None)


def test_a_corpus_is_held_to_its_hash_or_to_that_of_its_first_use(tmp_path: Path, settings: Settings) -> None:
    write_lines(tmp_path / "kb.jsonl", ARTICLES)
    unpinned = spec(Corpus(loader, digest))

    first = verify(unpinned, settings, tmp_path)
    second = verify(unpinned, settings, tmp_path)
    write_lines(tmp_path / "kb.jsonl", [{**ARTICLES[0], "contents": "One was changed."}, ARTICLES[1]])

    assert first is not None and second is not None
    assert (first.n, first.pinned, second.pinned) == (2, "new", "first use")
    with pytest.raises(DatasetError, match=r"its corpus has changed .*forget it in .*pins\.json"):
        verify(unpinned, settings, tmp_path)
    pinned = replace(unpinned, corpus=Corpus(loader, digest, sha256=first.sha256))
    with pytest.raises(DatasetError, match="would not be comparable, or index it by itself"):
        verify(pinned, settings, tmp_path)


def test_the_order_of_articles_does_not_change_their_hash(tmp_path: Path, settings: Settings) -> None:
    one = digest(write_lines(tmp_path / "one.jsonl", ARTICLES), settings)
    other = digest(write_lines(tmp_path / "other.jsonl", ARTICLES[::-1]), settings)

    assert one == other


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_an_archive_is_the_folder_that_went_into_it(
    tmp_path: Path, folder: Path, settings: Settings, kind: str
) -> None:
    archive = tmp_path / f"docs.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as opened:
            for page in folder.rglob("*.m*"):
                opened.write(page, f"repo/src/{page.relative_to(folder)}")
    else:
        with tarfile.open(archive, "w:gz") as opened_tar:
            opened_tar.add(folder, "repo/src")

    assert pages_digest(archive, settings) == pages_digest(folder, settings)
    ids = {item.id for item in loader_of(archive, settings).articles() if isinstance(item, Article)}
    assert ids == {"start", "guides:images"}


def test_nothing_is_unpacked_outside_its_folder(tmp_path: Path, settings: Settings) -> None:
    archive = tmp_path / "bad.tar"
    with tarfile.open(archive, "w") as opened:
        for name in ("../../evil.md", "/evil.md", "fine.md", "script.sh"):
            info = tarfile.TarInfo(name)
            info.size = 4
            opened.addfile(info, BytesIO(b"# Hi"))

    found = unpacked(archive, settings)

    assert [path.name for path in found.rglob("*") if path.is_file()] == ["fine.md"]
    assert not list(tmp_path.rglob("evil.md"))


def test_a_broken_archive_and_one_without_pages_are_named(tmp_path: Path, settings: Settings) -> None:
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"\x1f\x8b not really")

    with pytest.raises(DatasetError, match=r"broken\.tar\.gz: cannot be unpacked"):
        unpacked(broken, settings)
    with pytest.raises(DatasetError, match="holds no pages"):
        root_of(tmp_path)


def test_each_corpus_has_a_knowledge_base_of_its_own(tmp_path: Path) -> None:
    assert kb_name(tmp_path / "My Docs!.tar.gz").startswith("eval-my-docs-")
    assert kb_name(tmp_path / "a") != kb_name(tmp_path / "b")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (Source(corpus=Path("x")), "for the rows of --file"),
        (Source(corpus=Path("x"), file=Path("y"), kb_given=True), "leave out --kb"),
        (Source(data=Path("x")), "name which with --dataset"),
        (Source(dataset="bipia-test"), "has no rows for retrieval"),
    ],
)
def test_options_that_do_not_go_together_say_so(settings: Settings, source: Source, why: str) -> None:
    with pytest.raises(DatasetError, match=why):
        select("retrieval", RETRIEVAL, settings, source, None, notes)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("guides:images", "guides:images"),
        ("guides/images", "guides:images"),
        ("docs:en:guides:images", "guides:images"),
        ("src/content/docs/en/guides/images.mdx", "guides:images"),
        ("https://docs.example/en/guides/images/#remote", "guides:images"),
        ("How images work", "guides:images"),
        ("en/guides/index.mdx", "guides"),
        ("other/gone.mdx", None),
        ("gone", None),
    ],
)
def test_an_article_is_known_by_id_path_address_and_title(name: str, found: str | None) -> None:
    known = KnownArticles(
        ["guides:images", "guides", "start"],
        {"guides:images": "https://docs.example/en/guides/images"},
        {"guides:images": "How images work", "start": "Start"},
    )

    assert known.resolve(name) == found


def test_an_article_is_known_wherever_the_indexed_folder_begins() -> None:
    known = KnownArticles(["docs:en:guides:images", "docs:en:guides:start", "docs:en:start"])

    assert known.resolve("guides:images") == "docs:en:guides:images"
    assert known.resolve("guides/images.mdx") == "docs:en:guides:images"
    assert known.resolve("en:start") == "docs:en:start"
    assert known.resolve("start") is None


def test_a_name_of_two_articles_is_the_name_of_none() -> None:
    known = KnownArticles(["a:intro", "b:intro"], titles={"a:intro": "Intro", "b:intro": "Intro"})

    assert known.resolve("Intro") is None
    assert known.resolve("intro.mdx") is None
    assert known.resolve("docs/a/intro.mdx") == "a:intro"
