"""`handrail calibrate` on a small knowledge base, with the real models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.cli.calibrate import named
from handrail.models.calibration import load_calibration
from handrail.settings import Settings
from tests.scripted_openai import Says, ScriptedOpenAI

pytestmark = pytest.mark.models

RUNNER = CliRunner()
ARTICLES = {
    "refund.md": "# Refund a customer\n\nOpen **Orders**, choose the order and press **Refund**. It takes five days.\n",
    "domain.md": "# Connect a domain\n\nOpen **Settings**, choose **Domains** and add the records you are shown.\n",
    "pause.md": "# Pause a plan\n\nA plan can be paused for three months in **Billing**. Data is kept.\n",
}
ROWS = [
    *({"id": f"a{n}", "question": f"how do I refund customer {n}", "should_refuse": False} for n in range(12)),
    *({"id": f"r{n}", "question": f"recipe number {n} for apple pie", "should_refuse": True} for n in range(12)),
]


@pytest.fixture
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of labelled questions, beside an index of three articles."""
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path / "var"))
    articles = tmp_path / "articles"
    articles.mkdir()
    for name, text in ARTICLES.items():
        (articles / name).write_text(text, encoding="utf-8")
    assert RUNNER.invoke(app, ["ingest", str(articles), "--kb", "tiny"]).exit_code == 0
    file = tmp_path / "labelled.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return file


def fitted(labelled: Path) -> Path:
    return labelled.parent / "var" / "kb" / "tiny" / "fitted"


def test_a_bound_is_set_shown_and_taken_back(labelled: Path) -> None:
    gate = fitted(labelled) / "answers.json"

    done = RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--file", str(labelled), "--risk", "0.1", "--json"])

    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout[done.stdout.index("{") :])
    assert found["risk"]["observed"] <= found["risk"]["bound"] <= 0.1
    assert json.loads(gate.read_text())["threshold"] == found["risk"]["threshold"]
    assert "gate: fitted on tiny: labelled.jsonl" in RUNNER.invoke(app, ["kb", "show", "tiny"]).output
    assert RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--reset"]).exit_code == 0
    assert not gate.exists()


def test_too_few_questions_for_a_risk_are_said_and_nothing_changes(labelled: Path) -> None:
    done = RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--file", str(labelled), "--risk", "0.01"])

    assert done.exit_code == 1
    assert "at least 99 labelled questions" in str(done.exception)
    assert not (fitted(labelled) / "answers.json").exists()


def test_a_file_that_says_too_little_changes_nothing_and_says_so(labelled: Path) -> None:
    done = RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--file", str(labelled)])

    assert done.exit_code == 0, done.output
    assert "kept: 24 questions" in done.stdout
    assert not (fitted(labelled) / "answers.json").exists()


def test_articles_that_the_embedder_does_not_read_are_said_to_be_the_reason(labelled: Path) -> None:
    articles = labelled.parent / "russian"
    articles.mkdir()
    text = (
        "# Возврат денег\n\nОткройте раздел **Заказы**, выберите заказ и нажмите **Вернуть**. Это занимает пять дней.\n"
    )
    (articles / "refund.md").write_text(text, encoding="utf-8")
    assert RUNNER.invoke(app, ["ingest", str(articles), "--kb", "russian"]).exit_code == 0

    done = RUNNER.invoke(app, ["calibrate", "--kb", "russian", "--file", str(labelled)])

    assert done.exit_code == 1
    assert "in a language (ru) that bge-small-en-v1.5-int8 doesn't read" in str(done.exception)


def test_questions_that_another_gate_judges_are_left_out(labelled: Path) -> None:
    german = [
        "Wie kann ich einem Kunden das Geld für seine Bestellung zurückgeben?",
        "Wo finde ich die Einstellungen, um meine eigene Domain zu verbinden?",
    ]
    rows = [{"question": text, "article_ids": []} for text in german]
    labelled.write_text("\n".join(map(json.dumps, [*ROWS, *rows])), encoding="utf-8")
    done = RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--file", str(labelled), "--json"])
    labelled.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    alone = RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--file", str(labelled)])

    assert "2 questions" in done.stderr
    assert json.loads(done.stdout)["gate"]["n"] == len(ROWS)
    assert alone.exit_code == 1
    assert "another language" in str(alone.exception)


def test_made_questions_change_nothing_by_themselves(labelled: Path) -> None:
    done = RUNNER.invoke(app, ["calibrate", "--kb", "tiny"])

    assert done.exit_code == 0, done.output
    assert "--accept-made" in done.stderr
    assert not (fitted(labelled) / "answers.json").exists()


def test_a_language_model_writes_the_questions_where_there_is_one(
    labelled: Path, llm_provider: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [
        Says({"answered": [f"my thing {n} broke", f"{n} hours gone"], "beside": [f"is {n} blue"]}) for n in range(3)
    ]
    llm_provider.script(*[step for says in written for step in (says, Says({"numbers": [1]}))])
    monkeypatch.setenv("OPENAI_BASE_URL", llm_provider.url)

    done = RUNNER.invoke(app, ["calibrate", "--kb", "tiny", "--questions", "40"])

    assert done.exit_code == 0, done.output
    assert len(llm_provider.requests) == 6
    observed = fitted(labelled) / "observed.jsonl"
    questions = [json.loads(line)["asked"]["question"] for line in observed.read_text().splitlines()[1:]]
    assert {"my thing 0 broke", "is 2 blue"} <= set(questions)
    assert len(questions) > 9, "templates make what the model did not"
    assert not (fitted(labelled) / "answers.json").exists()


def test_a_fitted_gate_names_the_models_in_use_not_those_of_the_gate_that_ships() -> None:
    settings = Settings.model_validate({"models": {"embedder": "multilingual-e5-small-q4", "reranker": "none"}})

    gate = named(load_calibration("answers"), settings)

    assert (gate.embedder, gate.reranker, gate.reader) == ("multilingual-e5-small-q4", "none", "")
    assert gate.weights == load_calibration("answers").weights
