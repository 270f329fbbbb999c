"""A Git repository as a source, with a real git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from tests.knowledge.help_server import Desk, ids


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=Ada", "-c", "user.email=ada@acme.example", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "mail.md").write_text("# Mail\n\nOpen Mail.")
    (folder / "README.md").write_text("# Acme")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "Begin")
    return folder


def test_the_newest_commit_is_read_and_nothing_of_before(repository: Path, desk: Desk) -> None:
    first = desk.read("git", str(repository), folder="docs", url_base="https://acme.example/docs")
    git(repository, "mv", "docs/mail.md", "docs/post.md")
    git(repository, "commit", "-m", "Rename")

    second = desk.read("git", str(repository), folder="docs")

    assert [item.url for item in first] == ["https://acme.example/docs/mail"]
    assert ids(second) == ["post"]


def test_another_branch_can_be_named(repository: Path, desk: Desk) -> None:
    git(repository, "checkout", "-b", "next")
    (repository / "docs" / "plans.md").write_text("# Plans")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "Plans")
    git(repository, "checkout", "main")

    assert ids(desk.read("git", str(repository), folder="docs")) == ["mail"]
    assert ids(desk.read("git", str(repository), folder="docs", branch="next")) == ["mail", "plans"]


def test_what_is_wrong_is_said(repository: Path, desk: Desk) -> None:
    with pytest.raises(KnowledgeError, match="git fetch failed"):
        desk.read("git", str(repository), branch="nowhere")
    with pytest.raises(KnowledgeError, match="holds no folder"):
        desk.read("git", str(repository), folder="../..")
    with pytest.raises(KnowledgeError, match="private_network"):
        desk.read("git", "https://127.0.0.1:9/x.git", private_network=False)
