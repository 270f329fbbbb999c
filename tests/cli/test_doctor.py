"""`handrail doctor` finds what is wrong and says what to change; `handrail ask` says what it went on without."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
import redis
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, make_url
from typer.testing import CliRunner

from handrail.cli.app import app
from handrail.cli.ask import show
from handrail.records.database import open_database
from handrail.records.migrate import MIGRATIONS
from handrail.settings import WELL_KNOWN, Storage
from handrail.settings.load import PROFILE
from handrail.stores.chroma import ChromaStore
from handrail.stores.chroma_client import connect
from handrail.types import Turn
from tests.api.scripted import turn_of
from tests.conftest import started_valkey
from tests.freezing import frozen
from tests.llm_servers import deepseek
from tests.postgres import new_database, started_postgres
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


def made(storage: Storage) -> None:
    async def opened() -> None:
        await (await open_database(storage)).close()

    asyncio.run(opened())


def test_records_in_a_file_are_tried_without_making_any(desk: Path) -> None:
    before = doctor()["records"]
    missing = not (desk / "var" / "handrail.sqlite").exists()
    made(Storage(data_dir=desk / "var"))
    after = doctor()["records"]

    assert missing and (before["state"], after["state"]) == ("ok", "ok")
    assert "no tables yet" in before["says"] and "up to date" in after["says"]


def test_tables_of_another_version_are_told_what_to_do(desk: Path) -> None:
    (desk / "var").mkdir()
    engine = create_engine(f"sqlite:///{desk / 'var' / 'handrail.sqlite'}")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0007")
    older = doctor()["records"]
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    newer = doctor()["records"]

    assert older["state"] == "warning" and "handrail upgrade" in older["do"]
    assert newer["state"] == "problem" and "newer Handrail" in newer["says"]


def test_a_file_that_cannot_hold_records_is_told_apart(desk: Path) -> None:
    (desk / "var").mkdir()
    file = desk / "var" / "handrail.sqlite"
    file.write_bytes(b"no database " * 100)
    other = doctor()["records"]
    file.unlink()
    made(Storage(data_dir=desk / "var"))
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER no BEFORE UPDATE ON alembic_version BEGIN SELECT RAISE(ABORT, 'no'); END")
    unwritable = doctor()["records"]

    assert other["state"] == unwritable["state"] == "problem"
    assert "isn't a SQLite database" in other["says"] and str(file) in other["says"] and other["do"]


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("DATABASE_URL", "postgresql://ada:hunter2@127.0.0.1:hunter2/handrail"),
        ("DATABASE_URL", "postgresql://ada:hunter2@127.0.0.1:9/handrail?sslmode=hunter2"),
        ("DATABASE_URL", "postgresql://ada:hunter1@hunter2@127.0.0.1:9/handrail"),
        ("DATABASE_URL", "postgresql://ada:hunter2@127.0.0.1:9/handrail"),
        ("REDIS_URL", "redis://ada:hunter2/7@127.0.0.1:9"),
        ("REDIS_URL", "redis://ada:hunter2@127.0.0.1:9/0"),
    ],
)
def test_a_server_that_cannot_be_reached_is_named_without_its_secret(
    monkeypatch: pytest.MonkeyPatch, name: str, url: str
) -> None:
    monkeypatch.setenv(name, url)

    found = doctor()["records" if name == "DATABASE_URL" else "Redis"]

    assert found["state"] == "problem" and name in found["says"] + found["do"]
    assert "hunter2" not in str(found)


def test_postgresql_is_tried(monkeypatch: pytest.MonkeyPatch, postgres: Any) -> None:
    url = new_database(postgres)
    monkeypatch.setenv("DATABASE_URL", url)
    before = doctor()["records"]
    made(Storage(database_url=url))
    after = doctor()["records"]
    postgres.psql(f"ALTER DATABASE {make_url(url).database} SET default_transaction_read_only = on")
    read_only = doctor()["records"]
    monkeypatch.setenv("DATABASE_URL", postgres.get_uri(database="nobody_made_it"))
    absent = doctor()["records"]

    assert [one["state"] for one in (before, after, read_only, absent)] == ["ok", "ok", "problem", "problem"]
    assert "no tables yet" in before["says"] and "up to date" in after["says"]
    assert "can only be read" in read_only["says"] and "doesn't exist" in absent["says"]


def test_frozen_servers_hold_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    valkey = started_valkey()
    with started_postgres() as server:
        made(Storage(database_url=(url := new_database(server))))
        monkeypatch.setenv("DATABASE_URL", url)
        monkeypatch.setenv("REDIS_URL", valkey.connection_url)
        well = doctor()
        assert valkey._process is not None
        postmaster = int((Path(server.pgdata) / "postmaster.pid").read_text().split()[0])
        with frozen(postmaster), frozen(valkey._process.pid):
            begun = time.monotonic()
            found = doctor()
            took = time.monotonic() - begun
    valkey.stop()

    assert (well["records"]["state"], well["Redis"]["state"]) == ("ok", "ok")
    for name in ("records", "Redis"):
        assert found[name]["state"] == "problem" and "doesn't respond" in found[name]["says"]
    assert took < 30, "six seconds of waiting, and what else is looked at"


def test_a_redis_that_only_looks_well_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    server = started_valkey()
    monkeypatch.setenv("REDIS_URL", server.connection_url)
    with redis.Redis.from_url(server.connection_url) as direct:
        well = doctor()["Redis"]
        kept = direct.keys("*")
        direct.replicaof("127.0.0.1", "9")
        replica = doctor()["Redis"]
        direct.replicaof("NO", "ONE")
        direct.config_set("requirepass", "another")
        refused = doctor()["Redis"]
        direct.config_set("requirepass", "")
    server.stop()

    assert (well["state"], replica["state"], refused["state"]) == ("ok", "problem", "problem")
    assert all(key.endswith(b"{doctor}") for key in kept)
    assert "can only be read" in replica["says"] and "password" in refused["says"]
