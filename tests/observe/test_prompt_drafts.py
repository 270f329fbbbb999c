"""Texts that are served, and drafts that would take their place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.llm.prompts import LocalPrompts, PromptError
from handrail.observe.prompt_drafts import drafts, served
from handrail.observe.registry import PromptRegistry
from tests.observe.langfuse_server import LangfuseServer
from tests.observe.test_langfuse_prompts import template


@pytest.fixture
def local(tmp_path: Path) -> LocalPrompts:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for name in ("answer", "classify"):
        (shipped / f"{name}.j2").write_text(template(f"local {name}"))
    return LocalPrompts(shipped)


@pytest.fixture
def registry(langfuse: LangfuseServer) -> Iterator[PromptRegistry]:
    registry = PromptRegistry(langfuse.settings())
    yield registry
    registry.close()


def drafted(tmp_path: Path, text: str, name: str = "answer") -> Path:
    folder = tmp_path / "drafts"
    folder.mkdir()
    (folder / f"{name}.j2").write_text(text)
    return folder


def test_an_own_folder_stands_before_the_texts_that_ship(tmp_path: Path, local: LocalPrompts) -> None:
    own = drafted(tmp_path, template("my own"))

    both = LocalPrompts(tmp_path / "shipped", own=own)

    assert served(both, None, "production") == {
        "answer": template("my own"),
        "classify": template("local classify"),
    }
    with pytest.raises(PromptError, match=r"check prompts\.folder"):
        LocalPrompts(tmp_path / "shipped", own=tmp_path / "absent")


def test_what_langfuse_labels_is_served_and_the_files_behind_it(
    langfuse: LangfuseServer, local: LocalPrompts, registry: PromptRegistry
) -> None:
    langfuse.register("answer", template("registered"), "production")
    langfuse.register("answer", template("being tried"), "trial")

    now = served(local, registry, "production")

    assert now == {"answer": template("registered"), "classify": template("local classify")}
    assert drafts("langfuse:trial", now, registry) == {"answer": template("being tried")}
    assert drafts("langfuse:answer@2", now, registry) == {"answer": template("being tried")}
    assert drafts("langfuse:production", now, registry) == {}


def test_only_texts_that_differ_are_drafts(tmp_path: Path, local: LocalPrompts) -> None:
    folder = drafted(tmp_path, template("new"))
    (folder / "classify.j2").write_text(template("local classify"))

    assert drafts(folder, served(local, None, "production"), None) == {"answer": template("new")}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no header", "must begin with"),
        (template("new").replace("inputs: message", "inputs: question"), "must name the inputs of the one in use"),
        (template("{{ mesage }}"), "uses mesage, which it is not given"),
        (template("{% if %}"), "does not render"),
        (template("new").replace("block user", "block other"), "no block named 'user'"),
    ],
)
def test_a_draft_that_would_fail_in_a_turn_is_refused(
    text: str, says: str, tmp_path: Path, local: LocalPrompts
) -> None:
    with pytest.raises(PromptError, match=says):
        drafts(drafted(tmp_path, text), served(local, None, "production"), None)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("langfuse:absent", "no prompt labelled 'absent'"),
        ("langfuse:answer@9", "no version '9'"),
        ("langfuse:answer@new", "write langfuse:NAME@VERSION"),
        ("nowhere", "holds no prompt"),
    ],
)
def test_drafts_that_are_not_there_are_named(
    source: str, says: str, local: LocalPrompts, registry: PromptRegistry
) -> None:
    with pytest.raises(PromptError, match=says):
        drafts(source, served(local, registry, "production"), registry)


def test_a_prompt_that_nothing_uses_is_a_slip_of_the_pen(tmp_path: Path, local: LocalPrompts) -> None:
    with pytest.raises(PromptError, match="nothing uses a prompt named awnser"):
        drafts(drafted(tmp_path, template("new"), "awnser"), served(local, None, "production"), None)
