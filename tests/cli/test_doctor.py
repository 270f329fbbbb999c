"""`handrail doctor` finds what is wrong and says what to change; `handrail ask` says what it went on without."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.cli.ask import show
from handrail.settings import WELL_KNOWN
from handrail.settings.load import PROFILE
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.types import Turn
from tests.api.scripted import turn_of
from tests.llm_servers import deepseek
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.stages import ask

GOOD = Says({"word": "ready"})
EMBEDDER = "bge-small-en-v1.5-int8"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a knowledge base and a brand of its own, and without weights."""
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__KB", "acme")
    monkeypatch.setenv("HANDRAIL__BRAND__NAME", "Acme")
    monkeypatch.setenv("HANDRAIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def doctor(*arguments: str) -> dict[str, dict[str, str]]:
    """The findings by name, of a run whose exit code fits them."""
    result = CliRunner().invoke(app, ["doctor", "--json", *arguments])
    told: dict[str, Any] = json.loads(result.stdout)
    wrong = any(found["state"] == "problem" for found in told["findings"])
    assert (told["ok"], result.exit_code) == (not wrong, int(wrong))
    return {found["name"]: found for found in told["findings"]}


def indexed(folder: Path, embedder: str = EMBEDDER, **metadata: Any) -> None:
    place = folder / "var" / "kb" / "acme"
    place.mkdir(parents=True)
    told = {"kb": "acme", "embedder": embedder, "generation": "1", **metadata}
    client = connect(place, None)
    client.create_collection(ChromaStore(client, "acme", embedder).name, metadata={**told, "embedder": embedder})


def test_an_empty_installation_is_told_what_to_run() -> None:
    found = doctor()

    assert found["knowledge base acme"]["state"] == "problem"
    assert "handrail ingest PATH --kb acme" in found["knowledge base acme"]["do"]
    assert "handrail models fetch" in found[f"weights of {EMBEDDER}"]["do"]
    assert found["branding"]["state"] == "ok"
    assert "quoted from the articles" in found["language model"]["says"]


def test_a_knowledge_base_is_found(desk: Path) -> None:
    indexed(desk)

    assert doctor()["knowledge base acme"]["state"] == "ok"


@pytest.mark.parametrize(
    ("metadata", "says"), [({"embedder": "another"}, "indexed with another"), ({"writing": "2026"}, "interrupted")]
)
def test_a_knowledge_base_that_cannot_answer_is_told_why(desk: Path, metadata: dict[str, Any], says: str) -> None:
    indexed(desk, **metadata)

    found = doctor()["knowledge base acme"]

    assert found["state"] == "problem"
    assert says in found["says"] and "handrail ingest" in found["do"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HANDRAIL__BRAND__NAME", "Tillwick"),
        ("HANDRAIL__BRAND__LINK_HOSTS", '["help.tillwick.example", "status.tillwick.example"]'),
        ("HANDRAIL__BRAND__LINK_HOSTS", '["help.acme.example", "status.tillwick.example"]'),
        ("HANDRAIL__BRAND__COVERS", "Everything about TILLWICK."),
        ("HANDRAIL__KNOWLEDGE__URL_BASE", "https://tillwick.example/help"),
        ("HANDRAIL__HIGH_STAKES__POLICY_FILE", str(PROFILE.parent / "policy.toml")),
    ],
)
def test_what_is_left_of_the_sample_company_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    found = doctor()["branding"]

    section, key = name.lower().split("__")[1:]
    assert found["state"] == "problem"
    assert f"{section}.{key}" in found["says"]


def test_a_copy_of_the_samples_policy_is_named(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk / "policy.toml").write_bytes((PROFILE.parent / "policy.toml").read_bytes())
    monkeypatch.setenv("HANDRAIL__HIGH_STAKES__POLICY_FILE", "policy.toml")

    assert "high_stakes.policy_file" in doctor()["branding"]["says"]


def test_the_samples_front_page_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor()["demo mode"]["state"] == "warning"
    monkeypatch.setenv("HANDRAIL__SERVER__DEMO_MODE", "false")
    assert "demo mode" not in doctor()


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL__LLM__RETRIES", "many")

    found = doctor()

    assert list(found) == ["settings"]
    assert "retries" in found["settings"]["says"]


def test_each_provider_is_asked_by_itself(
    monkeypatch: pytest.MonkeyPatch, llm_provider: ScriptedOpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HANDRAIL__LLM__MODEL", "big")
    spare = f'[{{name = "spare", base_url = "{llm_provider.url}", model = "small-doctor"}}]'
    monkeypatch.setenv("HANDRAIL__LLM__FALLBACKS", spare)
    llm_provider.script(GOOD, refuses=deepseek)

    found = doctor()

    assert "could not be reached" in found["language model llm (big)"]["says"]
    adapted = found["language model spare (small-doctor)"]
    assert adapted["state"] == "warning" and "JSON mode" in adapted["says"]


def test_a_working_provider_is_told_how_fast_it_was(
    monkeypatch: pytest.MonkeyPatch, llm_provider: ScriptedOpenAI
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llm_provider.url)
    llm_provider.script(GOOD)

    found = doctor()["language model llm (gpt-5-mini)"]

    assert (found["state"], found["do"]) == ("ok", "")
    assert "first words after" in found["says"]


def test_no_provider_is_asked_where_that_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, llm_provider: ScriptedOpenAI
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llm_provider.url)
    llm_provider.script(Fails(500))

    assert doctor("--no-ask")["language model llm"]["state"] == "ok"
    assert llm_provider.requests == []


def test_the_terminal_says_what_an_answer_went_on_without(capsys: pytest.CaptureFixture[str]) -> None:
    turn = turn_of(ask())
    fields = {name: getattr(turn, name) for name in Turn.__slots__}
    show(Turn(**{**fields, "degraded": ("answer",), "reasons": {"answer": "not_json"}}))

    told = capsys.readouterr().out
    assert "without answer" in told and "aren't JSON" in told
    assert "handrail doctor" in told
