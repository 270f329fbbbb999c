"""The heads that Handrail has today, behind the decision model and its commands, over two articles."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic_ai.models.decision import DecisionRequest
from typer.testing import CliRunner, Result

from handrail.assembly import Assistant
from handrail.assembly.deciding import maps_file
from handrail.cli.app import app
from handrail.decide.calibration import load_maps
from handrail.decide.local import LocalDecisionModel, NotTrained
from handrail.decide.questions import load_decisions
from handrail.settings import Guidance, Llm, Settings, load_settings
from tests.decide.system_one import Server, chosen, scripted_server
from tests.scripted_openai import Quotes, ScriptedOpenAI
from tests.stages import ask

pytestmark = [pytest.mark.models, pytest.mark.slow]

DECISIONS = load_decisions()
ARTICLES = {
    "roles": "---\ntitle: Custom roles\n---\n# Custom roles\n\nOpen **Settings** and choose **New role** to make one.",
    "plans": "---\ntitle: Plans\n---\n# Plans\n\nEvery plan renews each month until it is cancelled.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the articles indexed."""
    base = tmp_path_factory.mktemp("deciding")
    articles = base / "articles"
    articles.mkdir()
    for name, text in ARTICLES.items():
        (articles / f"{name}.md").write_text(text, encoding="utf-8")
    result = run(base, "ingest", str(articles), "--kb", "two")
    assert result.exit_code == 0, result.output
    return base


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        "HANDRAIL__STORAGE__DATA_DIR": str(folder / "var"),
        "HANDRAIL__KNOWLEDGE__KB": "two",
        "HANDRAIL__MODELS__FOREIGN": "none",
        "HANDRAIL_CONFIG": "",
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
        **{f"HANDRAIL__DECISIONS__{key.upper()}": value for key, value in more.items()},
    }


def run(folder: Path, *command: str, **settings: str) -> Result:
    return CliRunner().invoke(app, list(command), env=environment(folder, **settings))


def settings_of(folder: Path, **decisions: str) -> Settings:
    return load_settings(None, {key: value for key, value in environment(folder, **decisions).items() if value})


@pytest.fixture
async def model(folder: Path) -> AsyncIterator[LocalDecisionModel]:
    assistant = Assistant(settings_of(folder))
    await assistant.start()
    try:
        yield await assistant.decision_model()
    finally:
        await assistant.stop()


@pytest.mark.anyio
async def test_heads_answer_and_the_other_questions_are_not_trained(model: LocalDecisionModel) -> None:
    async def decide(name: str, state: dict[str, Any]) -> Any:
        asked = DecisionRequest(state=state, questions={"q": DECISIONS[name].asked()})
        return (await model.decide(asked, {})).answers["q"]

    passage = "Every plan renews each month until it is cancelled."
    assert model.names == [
        "act", "answers", "crisis", "depends_on_history", "route", "supported", "wants_person"
    ]  # fmt: skip
    assert (await decide("route", {"message": "how do I make a custom role?"})).choice == "answerable"
    assert (await decide("route", {"message": "asdf qwer zxcv"})).choice == "nonsense"
    assert (await decide("supported", {"claim": "Plans renew each month.", "passage": passage})).noul > 0.5
    assert (await decide("supported", {"claim": "Plans renew each year.", "passage": passage})).noul < 0.5
    asks = {"request": "how often does my plan renew?"}
    fits = await decide("answers", {**asks, "text": passage})
    not_at_all = await decide("answers", {**asks, "text": "Open Settings and choose New role to make one."})
    assert fits.score > not_at_all.score + 0.5
    assert sum(fits.probabilities.values()) == pytest.approx(1)
    with pytest.raises(NotTrained, match="act, answers, crisis"):
        await decide("leak", {"draft": "help"})


@pytest.mark.anyio
async def test_a_message_is_understood_whatever_its_words(model: LocalDecisionModel) -> None:
    async def decide(name: str, message: str) -> Any:
        asked = DecisionRequest(state={"message": message}, questions={"q": DECISIONS[name].asked()})
        return (await model.decide(asked, {})).answers["q"]

    act = await decide("act", "cheers, that was a lifesaver")
    assert act.choice == "thanks"
    assert act.probabilities["none_of_these"] == 0
    assert sum(act.probabilities.values()) == pytest.approx(1)
    assert (await decide("wants_person", "could somebody real get on the line")).noul > 0.5
    assert (await decide("wants_person", "how do I add a team member")).noul < 0.5
    assert (await decide("crisis", "I would rather not be alive tomorrow")).noul > 0.5
    assert (await decide("crisis", "this form is killing me")).noul < 0.5
    assert (await decide("depends_on_history", "and the other one?")).noul > 0.5
    assert (await decide("depends_on_history", "how do I cancel my train ticket to Lyon")).noul < 0.5


@pytest.mark.anyio
async def test_a_turn_asks_the_model_of_the_settings_and_goes_on_without_it(
    folder: Path, decision_server: Server
) -> None:
    remote = {"model": "system-one:judge-7", "base_url": decision_server.url, "ask": "always"}
    assistant = Assistant(settings_of(folder, **remote))
    await assistant.start()
    try:
        decision_server.answers = chosen("high_stakes", 0.97)
        serious = await assistant.ask(ask("how do I make a custom role?"))
        decision_server.status = 500
        plain = await assistant.ask(ask("how do I make a custom role?"))
    finally:
        await assistant.stop()

    assert (serious.classification.by, serious.outcome.routing) == ("decision", "high_stakes")
    assert serious.degraded == ()
    assert (plain.classification.by, plain.outcome.routing) == ("local", "answered")
    assert plain.degraded == ("decisions",)
    assert decision_server.requests[0]["state"]["nearest_articles"] == "Custom roles; Plans"


@pytest.mark.anyio
async def test_the_decision_model_tells_whether_an_answer_keeps_the_rules(
    folder: Path, decision_server: Server, llm_provider: ScriptedOpenAI
) -> None:
    remote = {"models": '{ guidance = "system-one:judge-7" }', "base_url": decision_server.url}
    own = settings_of(folder, **remote).model_copy(update={
        "guidance": Guidance.model_validate({"rules": ["Never name the Settings page."]}),
        "llm": Llm(base_url=llm_provider.url, model="scripted"),
    })  # fmt: skip
    llm_provider.script(Quotes(0, 0))
    assistant = Assistant(own)
    await assistant.start()
    try:
        decision_server.answers = chosen("", 0.9)
        broken = await assistant.ask(ask("how do I make a custom role?"))
        decision_server.answers = chosen("", 0.1)
        kept = await assistant.ask(ask("how do I make a custom role?"))
    finally:
        await assistant.stop()

    assert (broken.provider, broken.reasons) == ("extractive", {"answer": "guidance"})
    assert (kept.provider, kept.degraded) == ("llm", ())
    state = decision_server.requests[0]["state"]
    assert "- Never name the Settings page." in state["rules"]
    assert "New role" in state["reply"]


def test_a_question_is_asked_in_the_terminal(folder: Path) -> None:
    state = json.dumps({"claim": "Plans renew each month.", "passage": "Every plan renews each month."})

    shown = run(folder, "decisions", "ask", "supported", "--state", state, "--json")

    found = json.loads(shown.stdout)
    assert (found["decision"], found["by"], found["answer"]) == ("supported", "local", "yes")
    assert sum(found["probabilities"].values()) == pytest.approx(1)
    assert run(folder, "decisions", "ask", "leak", "--state", "help").exit_code == 1
    assert "needs: passage" in str(run(folder, "decisions", "ask", "supported", "--state", '{"claim": "c"}').exception)


def test_the_terminal_asks_the_model_of_the_settings(folder: Path) -> None:
    with scripted_server() as server:
        server.answers = chosen("", 0.83)
        remote = {"model": "system-one:judge-7", "base_url": server.url, "ask": "always"}

        shown = run(folder, "decisions", "ask", "crisis", "--state", "help", "--json", **remote)

    found = json.loads(shown.stdout)
    assert (found["by"], found["probabilities"]["yes"]) == ("system-one:judge-7", pytest.approx(0.83))


def test_a_remote_model_is_calibrated_on_labelled_rows(folder: Path, tmp_path: Path) -> None:
    rows = [
        {"decision": "crisis", "state": {"message": f"message {number}"}, "label": "yes" if number % 4 == 0 else "no"}
        for number in range(200)
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with scripted_server() as server:
        server.answers = chosen("", 0.9)
        remote = {"model": "system-one:judge-7", "base_url": server.url, "ask": "always"}

        shown = run(folder, "decisions", "calibrate", "--file", str(file), "--json", **remote)
        told = json.loads(shown.stdout)["decisions"]["crisis"]
        after = json.loads(run(folder, "decisions", "ask", "crisis", "--state", "x", "--json", **remote).stdout)
        run(folder, "decisions", "calibrate", "--file", str(file), "--reset", **remote)

    assert (told["n"], told["loss_after"] < told["loss_before"]) == (200, True)
    assert after["probabilities"]["yes"] == pytest.approx(0.25, abs=0.03)
    assert maps_file(settings_of(folder)).is_file()
    said = {"yes": 0.9, "no": 0.1}
    maps = load_maps(maps_file(settings_of(folder)))
    assert maps.calibrated(DECISIONS["crisis"], "system-one:judge-7", said) == said


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ('{"decision": "weather", "state": {}, "label": "yes"}', "there is no decision 'weather'"),
        ('{"decision": "crisis", "state": {"message": "x"}, "label": "maybe"}', "yes, no"),
        ('{"decision": "crisis", "state": {}, "label": "yes"}', "needs: message"),
        ("{", "line 1"),
    ],
)
def test_a_wrong_row_is_named(folder: Path, tmp_path: Path, row: str, says: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(row, encoding="utf-8")

    result = run(folder, "decisions", "calibrate", "--file", str(file))

    assert says in str(result.exception)
    assert "line 1" in str(result.exception)


def test_it_is_served_alone_and_not_beyond_this_machine_without_a_key(folder: Path) -> None:
    refused = run(folder, "decisions", "serve", "--host", "0.0.0.0", "--port", "0")
    assert "serve_key" in str(refused.exception)

    command = [sys.executable, "-m", "handrail", "decisions", "serve", "--port", "0"]
    env = {**os.environ, **environment(folder), "NO_COLOR": "1"}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            url = _address(running)
            reply = httpx.post(
                url,
                json={
                    "model": "handrail-local",
                    "state": {"claim": "Plans renew each month.", "passage": "Every plan renews each month."},
                    "questions": {"c1": {"type": "noul", "instructions": "supported"}},
                },
                timeout=60,
            )
        finally:
            running.terminate()
    assert reply.json()["answers"]["c1"]["noul"] > 0.5


def _address(running: subprocess.Popen[str]) -> str:
    until = time.monotonic() + 120
    assert running.stderr is not None
    while time.monotonic() < until:
        line = running.stderr.readline()
        if found := re.search(r"http://\S+/v1/systemone", line):
            return found[0]
        assert line or running.poll() is None, "the server does not start"
    raise AssertionError("the server does not start")
