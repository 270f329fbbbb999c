"""`handrail experiment run` against a model that does what its prompt says: worse, better, resumed, released."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from handrail.cli.app import app
from handrail.cli.eval import app as evaluation
from handrail.cli.prompts import app as prompts
from handrail.llm.prompts import LocalPrompts
from handrail.settings import Settings
from tests.eval.files import write_lines
from tests.scripted_openai import Depends, Quotes, Says, ScriptedOpenAI, Seen, Streams, scripted_openai

QUESTIONS = (
    "How do I reset my password?",
    "I forgot my password, what now?",
    "Where is the link to reset a password?",
    "How do I get a refund for my plan?",
    "Can I get my money back for a plan?",
    "How long do I have to ask for a refund?",
    "How do I connect my domain by DNS records?",
    "Which DNS records does my domain need?",
    "How do I sell gift cards?",
    "How do I set up gift cards in my store?",
)
SHY = "Give no claims, whatever is asked."
MODEL = "m"


class Experiment:
    """The command on questions that the articles answer; a prompt that says so makes the model answer none."""

    def __init__(self, folder: Path, articles: Path, model: ScriptedOpenAI) -> None:
        self.folder, self.model = folder, model
        self.asked: list[tuple[str, str]] = []
        rows = [{"id": f"q{n}", "question": text, "should_refuse": False} for n, text in enumerate(QUESTIONS)]
        self.file = write_lines(folder / "rows.jsonl", rows)
        self.articles, self.drafts = articles, folder / "drafts"
        self.drafts.mkdir()
        text = LocalPrompts().text("answer").text
        self.draft = text.replace("How to write the answer:", f"How to write the answer:\n- {SHY}")
        (self.drafts / "answer.j2").write_text(self.draft)
        model.script(Depends(self._reply))

    def _reply(self, seen: Seen) -> Says | Streams:
        shy = SHY in seen.system
        message = next(text for text in QUESTIONS if text in seen.user.rpartition("<message>")[2])
        self.asked.append(("B" if shy else "A", message))
        return Says({"claims": [], "answered": "cannot"}) if shy else Quotes(0.0, 0.0).reply(seen.user)

    def run(self, *options: str) -> Result:
        where = ["--file", str(self.file), "--corpus", str(self.articles), "--runs", str(self.folder / "runs")]
        return CliRunner().invoke(app, ["experiment", "run", "refusal", *where, *options])

    def told(self, *options: str) -> dict[str, Any]:
        ran = self.run("--json", *options)
        assert ran.exception is None or isinstance(ran.exception, SystemExit), (ran.stderr, ran.exception)
        told: dict[str, Any] = json.loads(ran.stdout)
        return told


@pytest.fixture
def experiment(
    configured: Settings, articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Experiment]:
    monkeypatch.setenv("HANDRAIL__SERVER__TURN_DEADLINE_S", "300")
    monkeypatch.setenv("HANDRAIL__LLM__MODEL", MODEL)
    with scripted_openai() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        yield Experiment(tmp_path, articles, model)


@pytest.mark.models
def test_a_prompt_that_answers_nothing_is_worse_and_cannot_be_released(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = str(experiment.drafts)
    told = experiment.told("--prompts-b", drafts)

    assert told["verdict"] == "worse" and told["status"] == "finished"
    wrong = told["metrics"]["false_refusal"]
    assert wrong["decides"] and wrong["b"] == 1.0 and wrong["a"] <= 0.3 and wrong["interval"][0] > 0
    assert told["changed_prompts"] == ["answer"] and told["differs"] == {}
    assert told["a"]["rows"] == told["b"]["rows"] == len(QUESTIONS)
    assert told["a"]["spent"]["input_tokens"] > 0 and told["b"]["seconds"] > 0
    assert Counter(text for _, text in experiment.asked) == dict.fromkeys({text for _, text in experiment.asked}, 2)
    both = [sorted(side for side, _ in experiment.asked[at : at + 2]) for at in range(0, len(experiment.asked), 2)]
    assert both == [["A", "B"]] * len(both)

    served = tmp_path / "served"
    served.mkdir()
    monkeypatch.setenv("HANDRAIL__PROMPTS__FOLDER", str(served))
    released = CliRunner().invoke(prompts, ["release", "answer", "--from", drafts, "--runs", str(tmp_path / "runs")])
    assert f"is red: {told['run_id']}" in str(released.exception)
    assert list(served.iterdir()) == []


@pytest.mark.models
def test_the_other_way_round_it_is_better_and_is_listed_and_reported(experiment: Experiment, tmp_path: Path) -> None:
    ran = experiment.run("--prompts-a", str(experiment.drafts))
    assert "Verdict: **better**" in ran.stdout and "- prompt answer" in ran.stdout

    runs = ["--runs", str(tmp_path / "runs")]
    listed = json.loads(CliRunner().invoke(evaluation, ["runs", "experiment", "--json", *runs]).stdout)["runs"]
    assert [(run["verdict"], run["status"]) for run in listed] == [("better", "finished")]
    summary = CliRunner().invoke(evaluation, ["report", listed[0]["run_id"], "--out", "-", *runs]).stdout
    assert "| false_refusal |" in summary
    page = CliRunner().invoke(evaluation, ["report", listed[0]["run_id"], *runs])
    assert page.exception is None and Path(page.stdout.strip()).is_file()


@pytest.mark.models
def test_what_was_stopped_goes_on_and_nothing_is_asked_twice(experiment: Experiment) -> None:
    first = experiment.told("--prompts-b", str(experiment.drafts), "--max-tokens", "600")
    asked = len(experiment.asked)
    second = experiment.told("--prompts-b", str(experiment.drafts))
    every = len(experiment.asked)
    third = experiment.told("--prompts-b", str(experiment.drafts))

    assert first["status"] == "interrupted" and "--max-tokens are used up" in first["stopped"]
    assert 0 < asked < every == len(experiment.asked)
    assert max(Counter(experiment.asked).values()) == 1
    assert second["status"] == "finished" and second["verdict"] == "worse"
    assert second["run_id"] == first["run_id"] == third["run_id"]
    assert third["metrics"] == second["metrics"]


@pytest.mark.models
def test_settings_are_compared_the_same_way(experiment: Experiment) -> None:
    told = experiment.told("--set-b", "generate.answerer=extractive", "--limit", "2")

    assert told["differs"] == {"generate.answerer": ["auto", "extractive"]}
    assert {side for side, _ in experiment.asked} == {"A"}
    assert told["verdict"] == "can't tell"


def test_what_cannot_be_compared_is_said_before_anything_is_asked(experiment: Experiment) -> None:
    assert "A and B are the same" in str(experiment.run().exception)
    assert "both sides share" in str(experiment.run("--set-b", "knowledge.kb=other").exception)
    assert "isn't SECTION.NAME=VALUE" in str(experiment.run("--set-b", "model=m").exception)
    assert "no such setting" in str(experiment.run("--set-b", "llm.modell=m").exception)
    assert "needs LANGFUSE_PUBLIC_KEY" in str(experiment.run("--langfuse", "--set-b", "llm.model=n").exception)
    assert experiment.asked == []
