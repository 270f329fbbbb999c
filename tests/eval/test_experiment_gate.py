"""A changed prompt is released only when an experiment with exactly this change allows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval.experiment.gate import GateClosed, check
from eval.record import Status, write
from handrail.cli.prompts import app
from handrail.errors import SettingsError
from handrail.llm.prompts import LocalPrompts
from handrail.observe.prompt_drafts import digest
from tests.eval.runs_of import a_run
from tests.observe.langfuse_server import PUBLIC_KEY, SECRET_KEY, LangfuseServer, langfuse_server

NOW = {"answer": "old", "classify": "same"}
NEW = {"answer": "new", "classify": "same"}


class Kept:
    """Records of experiments, made up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0

    def experiment(self, verdict: str, a: dict[str, str] = NOW, b: dict[str, str] = NEW, **changes: Any) -> str:
        self._count += 1
        run_id = f"20260301T{self._count:06d}Z-experiment-x"
        rows = changes.pop("rows", 80)
        status = changes.pop("status", Status.FINISHED)
        sha256 = changes.pop("sha256", "ab" * 32)
        about = {
            "key": "k",
            "kind": "talks",
            "verdict": verdict,
            "margin": 0.05,
            "model": "gpt",
            "settings_differ": [],
            "a": {"run": f"a{self._count}", "prompts": a, "rows": rows},
            "b": {"run": f"b{self._count}", "prompts": b, "rows": rows},
            **changes,
        }
        run = a_run(run_id, [], "experiment", sha256=sha256, status=status, provenance={"experiment": about})
        write(run, self.folder)
        return run_id

    def check(self, before: dict[str, str] = NOW, after: dict[str, str] = NEW) -> list[str]:
        return check(self.folder, before, after, "gpt", "drafts")


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "runs")


def test_without_an_experiment_the_command_to_run_is_told(kept: Kept) -> None:
    kept.experiment("better", b={"answer": "another text", "classify": "same"})
    kept.experiment("better", a={"answer": "older", "classify": "same"})

    with pytest.raises(GateClosed, match=r"no experiment has tried answer .* experiment run talks --prompts-b"):
        kept.check()


@pytest.mark.parametrize("verdict", ["better", "no worse"])
def test_a_green_experiment_opens_the_gate(verdict: str, kept: Kept) -> None:
    run = kept.experiment(verdict)

    assert kept.check() == [run]


@pytest.mark.parametrize("verdict", ["worse", "can't tell"])
def test_a_red_one_closes_it_even_beside_a_green_one_on_other_rows(verdict: str, kept: Kept) -> None:
    red = kept.experiment(verdict)
    kept.experiment("better", sha256="cd" * 32)

    with pytest.raises(GateClosed, match=f"is red: {red}"):
        kept.check()


def test_of_one_file_the_experiment_with_the_most_rows_counts(kept: Kept) -> None:
    kept.experiment("can't tell", rows=5)
    whole = kept.experiment("better", rows=200)
    kept.experiment("can't tell", rows=5)

    assert kept.check() == [whole]

    kept.experiment("worse", rows=300)
    with pytest.raises(GateClosed, match="worse"):
        kept.check()


def test_an_experiment_that_was_stopped_is_not_green(kept: Kept) -> None:
    kept.experiment("better", status=Status.INTERRUPTED)

    with pytest.raises(GateClosed, match="not finished"):
        kept.check()


@pytest.mark.parametrize("changes", [{"settings_differ": ["llm.model"]}, {"model": "other"}, {"margin": 0.5}])
def test_what_is_better_for_another_reason_does_not_count(changes: dict[str, Any], kept: Kept) -> None:
    kept.experiment("better", **changes)

    with pytest.raises(GateClosed, match="also changed settings, or asked another model than gpt"):
        kept.check()


def test_prompts_that_were_tried_together_are_released_together(kept: Kept) -> None:
    both = {"answer": "new", "classify": "new"}
    run = kept.experiment("better", b=both)

    with pytest.raises(GateClosed, match="only together with classify"):
        kept.check()
    assert kept.check(after=both) == [run]


def test_a_prompt_that_nobody_changed_may_have_moved_on(kept: Kept) -> None:
    run = kept.experiment("better")

    assert kept.check({**NOW, "classify": "later"}, {**NEW, "classify": "later"}) == [run]


# The command line, with the prompts that ship.


class Release:
    def __init__(self, folder: Path, kept: Kept) -> None:
        self.folder, self.kept = folder, kept
        self.served, self.drafts, self.data = folder / "served", folder / "drafts", folder / "data"
        for path in (self.served, self.drafts, self.data):
            path.mkdir()
        self.old = LocalPrompts().text("answer").text
        self.new = self.old.replace("Put the direct answer first.", "Put the direct answer first, always.")
        (self.drafts / "answer.j2").write_text(self.new)

    def run(self, *options: str) -> Exception | None:
        ran = CliRunner().invoke(app, ["release", *options, "--runs", str(self.kept.folder)])
        assert ran.exception is None or isinstance(ran.exception, Exception)
        return ran.exception

    def tried(self, verdict: str) -> str:
        local = LocalPrompts()
        a = {name: digest(local.text(name).text) for name in local.names()}
        return self.kept.experiment(verdict, a, {**a, "answer": digest(self.new)}, model=None)

    @property
    def answers_with(self) -> str:
        return LocalPrompts(own=self.served).text("answer").text

    @property
    def log(self) -> list[dict[str, Any]]:
        path = self.data / "prompt-releases.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def release(tmp_path: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Release:
    held = Release(tmp_path, kept)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("HANDRAIL__PROMPTS__FOLDER", str(held.served))
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(held.data))
    return held


@pytest.fixture
def langfuse(release: Release, monkeypatch: pytest.MonkeyPatch) -> Iterator[LangfuseServer]:
    with langfuse_server() as server:
        monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC_KEY)
        monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET_KEY)
        monkeypatch.setenv("LANGFUSE_HOST", server.url)
        yield server


def test_a_red_prompt_is_not_served_and_a_green_one_is(release: Release) -> None:
    assert "no experiment has tried answer" in str(release.run("answer", "--from", str(release.drafts)))
    release.tried("worse")
    assert "is red" in str(release.run("answer", "--from", str(release.drafts)))
    assert release.answers_with == release.old and release.log == []

    (release.kept.folder / "20260301T000001Z-experiment-x.json").unlink()
    run = release.tried("no worse")

    assert release.run("all", "--from", str(release.drafts)) is None
    assert release.answers_with == release.new
    (entry,) = release.log
    assert entry["why"] == f"experiment {run}"
    assert entry["prompts"]["answer"]["after"] == digest(release.new)


def test_force_serves_it_and_keeps_the_reason(release: Release) -> None:
    assert "needs a reason" in str(release.run("answer", "--from", str(release.drafts), "--force", " "))
    assert release.run("answer", "--from", str(release.drafts), "--force", "a wrong price") is None

    assert release.answers_with == release.new
    assert release.log[0]["why"] == "forced: a wrong price"


def test_what_is_served_already_is_not_released_again(release: Release) -> None:
    (release.served / "answer.j2").write_text(release.new)

    refused = release.run("answer", "--from", str(release.drafts), "--force", "again")

    assert isinstance(refused, SettingsError) and "nothing to release: answer" in str(refused)
    assert "--from DRAFTS" in str(release.run("answer"))


def test_in_langfuse_the_label_moves_only_when_the_gate_is_green(release: Release, langfuse: LangfuseServer) -> None:
    langfuse.register("answer", release.old, "production")
    langfuse.register("answer", release.new)

    assert "no experiment has tried answer" in str(release.run("answer", "--from", "langfuse:latest"))
    assert langfuse.prompts["answer"][0].labels == ["production"]

    release.tried("better")

    assert release.run("answer", "--from", "langfuse:answer@2") is None
    assert [version.labels for version in langfuse.prompts["answer"]] == [[], ["latest", "production"]]
    assert release.answers_with == release.old
