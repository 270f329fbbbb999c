"""A suite with a language model and with quotations alone: one table, a budget that is kept, nothing paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from eval.benchmark.standin import StandIn, standing_in
from handrail.cli.eval import app
from handrail.settings import Settings
from tests.eval.files import write_lines
from tests.scripted_openai import Fails, Quotes, Says, ScriptedOpenAI, scripted_openai

SUITES = """
[[suite]]
name = "small"

[[suite.part]]
name = "refusals"
command = "refusal"
file = "refusals.jsonl"
corpus = "articles"

[suite.part.figures]
recall = { row = "recall" }
"by_bucket.answer.accuracy" = { row = "correct", where = { bucket = "answer" } }

[[suite.part]]
name = "far away"
command = "refusal"
dataset = "clapnq"
figures = { recall = {} }

[[suite.part]]
name = "answers"
command = "answers"
file = "answers.jsonl"
corpus = "articles"

[suite.part.figures]
answered_rate = {}
statements = { row = "statements" }
faithfulness = { row = "faithfulness", judged = true }
"""
REFUSALS = [
    {"id": "r1", "question": "How do I reset my password?", "should_refuse": False},
    {"id": "r2", "question": "How do I pay with a gift card?", "should_refuse": False},
    {"id": "r3", "question": "What is the tallest mountain on Mars?", "should_refuse": True},
]
ANSWERS = [
    {"id": "a1", "question": "How do I reset my password?", "answer": "Select Send link on the sign-in page."},
    {"id": "a2", "question": "How do I get a refund for my plan?", "answer": "Ask within 30 days."},
]
PRICES = {"HANDRAIL__LLM__USD_PER_MILLION_INPUT": "100", "HANDRAIL__LLM__USD_PER_MILLION_OUTPUT": "1000"}


class Suite:
    """`handrail eval llm` on a few rows."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch

    def set(self, **values: str) -> None:
        for name, value in values.items():
            self.monkeypatch.setenv(name, value)

    def run(self, *options: str) -> Result:
        where = ["--suites", str(self.folder / "suites.toml"), "--suite", "small", "--runs", str(self.folder / "runs")]
        return CliRunner().invoke(app, ["llm", *where, *options])

    def told(self, *options: str) -> dict[str, Any]:
        ran = self.run("--json", *options)
        assert ran.exception is None or isinstance(ran.exception, SystemExit), (ran.stderr, ran.exception)
        told: dict[str, Any] = json.loads(ran.stdout)
        return told


@pytest.fixture
def suite(configured: Settings, articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    (tmp_path / "suites.toml").write_text(SUITES)
    (tmp_path / "articles").symlink_to(articles)
    write_lines(tmp_path / "refusals.jsonl", REFUSALS)
    write_lines(tmp_path / "answers.jsonl", ANSWERS)
    # A row that a busy machine could not finish in time counts as failed, and would be asked again.
    monkeypatch.setenv("HANDRAIL__SERVER__TURN_DEADLINE_S", "300")
    return Suite(tmp_path, monkeypatch)


@pytest.fixture
def model(suite: Suite) -> Iterator[StandIn]:
    with standing_in(0.0, 0.0) as model:
        suite.set(OPENAI_BASE_URL=model.url, **PRICES)
        yield model


def figures(told: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    (found,) = [item for item in told["parts"] if item["name"] == part]
    return {line["figure"]: line for line in found["lines"]}


@pytest.mark.models
def test_a_suite_is_measured_with_the_model_and_with_quotations_and_not_paid_for_twice(
    suite: Suite, model: StandIn
) -> None:
    first = suite.told("--budget", "50")
    asked = model.calls
    again = suite.told("--budget", "50")

    assert asked > 0 and model.calls == asked
    assert [part["name"] for part in first["parts"]] == ["refusals", "answers"]
    assert first["left_out"]["far away"] == "its articles do not ship: --data clapnq=PATH"
    assert "no judge is set" in first["left_out"]["answers: faithfulness"]
    assert first["spent"]["cost_usd"] > 0 and again["spent"]["cost_usd"] == 0
    assert again["parts"] == first["parts"]
    refusals = figures(first, "refusals")
    assert refusals["recall"]["model"]["n"] == refusals["recall"]["quotations"]["n"] == 3
    assert refusals["by_bucket.answer.accuracy"]["difference"]["n"] == 2
    cost = sum(part["spent"]["cost_usd"] for part in first["parts"])
    assert cost == pytest.approx(first["spent"]["cost_usd"], abs=1e-3)


@pytest.mark.models
def test_a_first_try_on_a_few_rows_is_not_paid_for_again(suite: Suite, model: StandIn) -> None:
    few = suite.told("--budget", "50", "--limit", "1")
    asked = model.calls

    every = suite.told("--budget", "50")

    assert [part["rows"] for part in few["parts"]] == [1, 1]
    assert [part["rows"] for part in every["parts"]] == [3, 2]
    cost = sum(part["spent"]["cost_usd"] for part in every["parts"])
    assert every["spent"]["requests"] == model.calls - asked
    assert few["spent"]["cost_usd"] + every["spent"]["cost_usd"] == pytest.approx(cost, abs=1e-3)


@pytest.mark.models
def test_the_budget_stops_it_and_the_next_call_goes_on(suite: Suite, model: StandIn) -> None:
    whole = suite.told("--budget", "50", "--runs", str(suite.folder / "other"))
    price, asked = whole["spent"]["cost_usd"], model.calls
    budget = price / 2
    model.calls = 0

    first = suite.told("--budget", f"{budget:.6f}")
    second = suite.told("--budget", "50")

    assert 0 < first["spent"]["cost_usd"] <= budget
    assert "budget" in first["stopped"] and "answers" in first["cut"]
    assert second["cut"] == {} and second["stopped"] is None
    assert model.calls == asked
    assert first["spent"]["cost_usd"] + second["spent"]["cost_usd"] == pytest.approx(price, abs=1e-3)
    assert [part["rows"] for part in second["parts"]] == [3, 2]


@pytest.mark.models
def test_tokens_stop_it_where_no_price_is_known(suite: Suite, model: StandIn) -> None:
    suite.set(**dict.fromkeys(PRICES, "0"))

    ran = suite.run("--budget", "1", "--max-tokens", "1")

    assert "can't be known" in ran.stderr and "stops at 1 tokens" in ran.stderr
    assert "--max-tokens are used up" in ran.stdout and "cost unknown" in ran.stdout
    assert "go on" in ran.stdout


@pytest.mark.models
def test_a_judge_rates_both_and_is_paid_once(suite: Suite, model: StandIn) -> None:
    rating = Says({"unsupported": [], "faithfulness": 4, "relevancy": 5})
    compared = Says({"given": [1], "contradicts": False, "held": []})
    with scripted_openai() as judge:
        judge.script(rating, compared, rating, compared)
        suite.set(HANDRAIL__JUDGE__BASE_URL=judge.url, HANDRAIL__JUDGE__MODEL="rater")
        suite.set(HANDRAIL__JUDGE__USD_PER_MILLION_INPUT="10")

        first = suite.told("--budget", "50", "--limit", "1")
        asked = len(judge.requests)
        again = suite.told("--budget", "50", "--limit", "1")

        assert 0 < asked == len(judge.requests)
    faithful = figures(first, "answers")["faithfulness"]
    assert faithful["model"]["value"] == faithful["quotations"]["value"] == 4
    assert first["judge"] == "rater"
    assert figures(again, "answers") == figures(first, "answers")
    (part,) = [item for item in first["parts"] if item["name"] == "answers"]
    assert part["judging"]["cost_usd"] == pytest.approx(asked * 100 * 10 / 1e6, abs=1e-4)


@pytest.mark.models
def test_a_model_that_is_down_is_not_measured_as_if_it_had_answered(suite: Suite) -> None:
    suite.set(OPENAI_BASE_URL="", **PRICES)
    with scripted_openai() as down:
        _down(down)
        suite.set(OPENAI_BASE_URL=down.url, HANDRAIL__LLM__RETRIES="0")

        told = suite.told("--budget", "50")

        assert "failed in" in told["stopped"]
        assert [part["failed"] for part in told["parts"]] == [2, 1]
        answering = figures(told, "refusals")["by_bucket.answer.accuracy"]
        assert answering["model"]["value"] is None and answering["quotations"]["value"] is not None
        assert "answers" in told["cut"]
        down.script(Quotes(0.0, 0.0))
        better = suite.told("--budget", "50")

    assert [part["failed"] for part in better["parts"]] == [0, 0]


def _down(server: ScriptedOpenAI) -> None:
    server.script(Fails(401, error={"message": "Incorrect API key provided", "code": "invalid_api_key"}))


def test_what_is_missing_is_said_before_anything_is_asked(suite: Suite) -> None:
    assert "no language model is set" in str(suite.run("--budget", "1").exception)

    suite.set(OPENAI_API_KEY="key")
    assert "--budget USD or --max-tokens N" in str(suite.run().exception)
    assert "can't be known" in str(suite.run("--budget", "1").exception)

    suite.set(**PRICES)
    unknown = suite.run("--budget", "1", "--suite", "large")
    assert "there are: small" in str(unknown.exception)
