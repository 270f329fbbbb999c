"""Links that lead out of the article folder, and what is no plain file: skipped, and named."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Skipped
from handrail.knowledge.folder import Folder
from handrail.knowledge.wixqa import WixQA
from tests.knowledge.articles import Index

SECRET = "# Payroll\n\nThe safe opens with 1234."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "roles.md").write_text("# Roles\n\nOpen **Team**.")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(SECRET)
    (outside / "secret.jsonl").write_text('{"id": "s", "contents": "The safe opens with 1234.", "title": "Payroll"}')
    return folder


def load(root: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Bodies by id, and reasons by the name of what was skipped."""
    found = list(Folder(root, "https://help.example", 1000).articles())
    skipped = {Path(item.where).name: item.why for item in found if isinstance(item, Skipped)}
    return {item.id: item.body for item in found if isinstance(item, Article)}, skipped


def file_absolute(root: Path) -> None:
    (root / "away.md").symlink_to(root.parent / "outside" / "secret.md")


def file_relative(root: Path) -> None:
    (root / "away.md").symlink_to("../outside/secret.md")


def folder_absolute(root: Path) -> None:
    (root / "away.md").symlink_to(root.parent / "outside", target_is_directory=True)


def folder_relative(root: Path) -> None:
    (root / "inner" / "away.md").symlink_to("../../outside", target_is_directory=True)


def chain(root: Path) -> None:
    (root / ".hop").symlink_to("inner/hop")
    (root / "inner" / "hop").symlink_to("../../outside", target_is_directory=True)
    (root / "away.md").symlink_to(".hop/secret.md")


@pytest.mark.parametrize("link", [file_absolute, file_relative, folder_absolute, folder_relative, chain])
def test_a_link_that_leads_out_is_named_and_not_read(root: Path, link: object) -> None:
    assert callable(link)
    link(root)

    articles, skipped = load(root)

    assert articles.keys() == {"inner:roles"}
    assert "out of the article folder" in skipped["away.md"]


def test_links_within_the_folder_work(root: Path) -> None:
    (root / ".data").mkdir()
    (root / ".data" / "plans.md").write_text("# Plans\n\nStudio.")
    (root / "plans.md").symlink_to(".data/plans.md")
    (root / "alias").symlink_to(root / "inner", target_is_directory=True)

    articles, skipped = load(root)

    assert articles == {"inner:roles": "Open **Team**.", "alias:roles": "Open **Team**.", "plans": "Studio."}
    assert skipped == {}


def test_an_article_folder_may_be_a_link_itself(root: Path) -> None:
    (root.parent / "named").symlink_to(root, target_is_directory=True)

    assert load(root.parent / "named")[0].keys() == {"inner:roles"}


def test_loops_end(root: Path) -> None:
    (root / "inner" / "up").symlink_to("..", target_is_directory=True)
    (root / "self.md").symlink_to("self.md")
    (root / "gone.md").symlink_to("nowhere.md")
    for name, other in (("one", "two"), ("two", "one")):
        (root / name).mkdir()
        for number in range(3):
            (root / name / f"to{number}").symlink_to(root / other, target_is_directory=True)

    articles, skipped = load(root)

    assert articles == {"inner:roles": "Open **Team**."}
    assert {"up", "self.md", "gone.md"} <= skipped.keys()


def test_what_is_no_plain_file_is_never_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "device.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(root / "socket.md"))

        articles, skipped = load(root)

    assert articles.keys() == {"inner:roles"}
    assert skipped["pipe.md"] == "a pipe, not a plain file"
    assert skipped["socket.md"] == "a socket, not a plain file"
    assert "device.md" in skipped


def test_a_pipe_that_is_named_itself_is_refused(root: Path) -> None:
    os.mkfifo(root / "pipe.md")

    (found,) = Folder(root / "pipe.md", "", 1000).articles()

    assert not isinstance(found, Article)
    assert "a pipe" in found.why


@pytest.mark.parametrize("name", [b"a\nb.md", b"a\x1b[31m.md", b"a\x7f.md", "a\u202edm.md".encode(), b"a\xff.md"])
def test_a_name_that_misleads_is_skipped_in_one_printable_line(root: Path, name: bytes) -> None:
    os.close(os.open(os.path.join(os.fsencode(root), name), os.O_CREAT | os.O_WRONLY))  # noqa: PTH118

    found = list(Folder(root, "", 1000).articles())

    (skipped,) = [item for item in found if isinstance(item, Skipped)]
    assert skipped.where.isprintable()
    assert "rename" in skipped.why


def test_a_folder_of_nothing_but_links_away_says_so(root: Path) -> None:
    (root / "inner" / "roles.md").unlink()
    file_absolute(root)

    with pytest.raises(KnowledgeError, match="out of the article folder"):
        load(root)


def test_files_of_rows_are_held_to_the_same(root: Path) -> None:
    (root / "own.jsonl").write_text('{"id": "o", "contents": "Open Team.", "title": "Roles"}')
    (root / "away.jsonl").symlink_to("../outside/secret.jsonl")

    found = list(WixQA(root).articles())

    assert [item.id for item in found if isinstance(item, Article)] == ["o"]
    assert ["out of the article folder" in item.why for item in found if isinstance(item, Skipped)] == [True]


def test_what_was_indexed_through_such_a_link_leaves_the_index(root: Path, tmp_path: Path) -> None:
    index = Index(tmp_path / "data")
    (root / "away.md").write_text(SECRET)
    index.run(Folder(root, "", 1000))
    (root / "away.md").unlink()
    file_absolute(root)

    report = index.run(Folder(root, "", 1000))

    assert [item.why for item in report.skipped] != []
    assert (report.rejected, report.removed, index.ids()) == ([], 1, ["inner:roles/0"])
