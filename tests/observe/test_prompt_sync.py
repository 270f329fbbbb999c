"""`handrail prompts list`, `push` and `pull`, below the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.errors import PermanentError, RetryableError
from handrail.llm.prompts import LocalPrompts, PromptError
from handrail.observe.prompt_sync import (
    PromptStatus,
    Pulled,
    Pushed,
    list_prompts,
    pull_prompts,
    push_prompts,
    release_prompts,
)
from handrail.observe.registry import PromptRegistry
from tests.observe.langfuse_server import LangfuseServer
from tests.observe.test_langfuse_prompts import template


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("answer", "classify"):
        (tmp_path / f"{name}.j2").write_text(template(f"local {name}"))
    return tmp_path


@pytest.fixture
def registry(langfuse: LangfuseServer) -> Iterator[PromptRegistry]:
    registry = PromptRegistry(langfuse.settings())
    yield registry
    registry.close()


def test_push_registers_once_and_a_second_push_changes_nothing(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    first = push_prompts([], LocalPrompts(folder), registry, "production")
    again = push_prompts([], LocalPrompts(folder), registry, "production")

    assert first == [Pushed("answer", "created", 1), Pushed("classify", "created", 1)]
    assert again == [Pushed("answer", "unchanged", 1), Pushed("classify", "unchanged", 1)]
    assert {name: len(versions) for name, versions in langfuse.prompts.items()} == {"answer": 1, "classify": 1}


def test_an_edited_file_becomes_a_new_version_that_is_not_served_until_it_is_released(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    push_prompts([], LocalPrompts(folder), registry, "production")
    edited = template("edited", version="2")
    (folder / "answer.j2").write_text(edited)

    pushed = push_prompts(["answer"], LocalPrompts(folder), registry, "production")

    assert pushed == [Pushed("answer", "created", 2, served=False)]
    assert [version.labels for version in langfuse.prompts["answer"]] == [["production"], ["latest"]]
    assert langfuse.prompts["answer"][1].text == edited

    released = release_prompts({"answer": edited}, registry, folder, "production", "better")

    assert released == {"answer": "Langfuse version 2, labelled production"}
    assert [version.labels for version in langfuse.prompts["answer"]] == [[], ["latest", "production"]]


def test_a_release_registers_a_text_that_langfuse_does_not_have(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    langfuse.register("answer", template("served"), "production")

    release_prompts({"answer": template("new")}, registry, folder, "production", "better")

    assert [version.labels for version in langfuse.prompts["answer"]] == [[], ["production", "latest"]]
    assert LocalPrompts(folder).text("answer").text == template("local answer")


def test_without_langfuse_a_release_replaces_the_file(folder: Path) -> None:
    released = release_prompts({"answer": template("new")}, None, folder, "production", "better")

    assert released == {"answer": str(folder / "answer.j2")}
    assert LocalPrompts(folder).text("answer").text == template("new")


def test_nothing_is_pushed_when_one_of_the_files_is_wrong(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    (folder / "classify.j2").write_text("no header")

    with pytest.raises(PromptError, match="'classify' must begin with"):
        push_prompts([], LocalPrompts(folder), registry, "production")

    assert langfuse.prompts == {}


def test_pull_updates_files_that_are_old_copies_and_keeps_edited_ones(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    local = LocalPrompts(folder)
    push_prompts([], local, registry, "production")
    for name in ("answer", "classify"):
        langfuse.register(name, template(f"better {name}"), "production")
    (folder / "classify.j2").write_text(template("edited here"))

    pulled = pull_prompts([], local, registry, folder, "production")

    assert pulled == [Pulled("answer", "written", 2), Pulled("classify", "kept", 2)]
    assert local.text("answer").text == template("better answer")
    assert local.text("classify").text == template("edited here")


def test_pull_with_force_overwrites_edited_files_and_a_second_pull_changes_nothing(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    langfuse.register("answer", template("registered"), "production")

    forced = pull_prompts(["answer"], LocalPrompts(folder), registry, folder, "production", force=True)
    again = pull_prompts(["answer"], LocalPrompts(folder), registry, folder, "production")

    assert (forced, again) == ([Pulled("answer", "written", 1)], [Pulled("answer", "unchanged", 1)])
    assert sorted(path.name for path in folder.iterdir()) == ["answer.j2", "classify.j2"]


def test_pull_leaves_files_alone_that_the_registry_lacks(folder: Path, registry: PromptRegistry) -> None:
    pulled = pull_prompts([], LocalPrompts(folder), registry, folder, "production", force=True)

    assert pulled == [Pulled("answer", "absent", None), Pulled("classify", "absent", None)]


@pytest.mark.parametrize("name", ["../answer", "a/b", ""])
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str, folder: Path, registry: PromptRegistry) -> None:
    with pytest.raises(PromptError, match="not a prompt name"):
        pull_prompts([name], LocalPrompts(folder), registry, folder, "production", force=True)


def test_a_registered_text_that_would_break_rendering_does_not_replace_a_file(
    langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    langfuse.register("answer", "just words", "production")

    with pytest.raises(PromptError, match="'answer' must begin with"):
        pull_prompts(["answer"], LocalPrompts(folder), registry, folder, "production", force=True)

    assert LocalPrompts(folder).text("answer").text == template("local answer")


def test_list_compares_both_sides(langfuse: LangfuseServer, folder: Path, registry: PromptRegistry) -> None:
    langfuse.register("answer", template("local answer"), "production")
    langfuse.register("answer", template("being tried"))

    listed = list_prompts(LocalPrompts(folder), registry, "production")
    offline = list_prompts(LocalPrompts(folder), None, "production")

    assert listed == [PromptStatus("answer", "1", 1, 2, True), PromptStatus("classify", "1")]
    assert offline == [PromptStatus("answer", "1"), PromptStatus("classify", "1")]


@pytest.mark.parametrize(
    ("status", "error", "advice"),
    [
        (500, RetryableError, "try again later"),
        (429, RetryableError, "try again later"),
        (401, PermanentError, "LANGFUSE_SECRET_KEY"),
        (403, PermanentError, "LANGFUSE_SECRET_KEY"),
        (418, PermanentError, "LANGFUSE_HOST"),
    ],
)
def test_failures_say_what_to_do(
    status: int, error: type[Exception], advice: str, langfuse: LangfuseServer, folder: Path, registry: PromptRegistry
) -> None:
    langfuse.status = status

    with pytest.raises(error, match=advice) as raised:
        push_prompts([], LocalPrompts(folder), registry, "production")

    assert langfuse.url in str(raised.value)
    assert "sk-lf-test" not in str(raised.value)


def test_an_address_without_langfuse_is_named(folder: Path, langfuse: LangfuseServer) -> None:
    settings = langfuse.settings().model_copy(update={"langfuse_host": "http://127.0.0.1:9"})
    registry = PromptRegistry(settings)

    with pytest.raises(RetryableError, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        push_prompts([], LocalPrompts(folder), registry, "production")

    registry.close()
