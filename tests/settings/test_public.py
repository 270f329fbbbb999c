"""A server that is open to everybody starts only when it is ready for everybody, and says what is missing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api.app import create_app
from handrail.accounts.demo import DEMO_AGENT, refuse_demo_agent
from handrail.accounts.passwords import hash_password
from handrail.cli.desk import demo_agent
from handrail.errors import SettingsError
from handrail.records.database import open_database
from handrail.records.people import People
from handrail.settings import Settings, load_settings, public
from tests.api.scripted import ScriptedAssistant
from tests.passwords import cheap_hashes as cheap_hashes

ROOT = Path(__file__).parents[2]
READY: dict[str, dict[str, Any]] = {
    "server": {"public": True, "demo_mode": False, "cors_origins": ["https://www.acme.example"]},
    "brand": {"name": "Acme"},
    "knowledge": {"kb": "acme"},
    "limits": {"global_per_day": 5000},
}


def settings(folder: Path, **sections: dict[str, Any]) -> Settings:
    tree = {**READY, "storage": {"data_dir": folder}}
    return Settings.model_validate({name: {**tree.get(name, {}), **sections.get(name, {})} for name in tree | sections})


def test_what_is_ready_starts(tmp_path: Path) -> None:
    create_app(settings(tmp_path), ScriptedAssistant())


@pytest.mark.parametrize(
    ("section", "values", "says"),
    [
        ("server", {"demo_mode": True}, "server.demo_mode"),
        ("server", {"cors_origins": ["https://www.acme.example", "*"]}, "server.cors_origins: '*'"),
        ("server", {"cors_origins": ["https://*.acme.example"]}, r"server.cors_origins: 'https://\*"),
        ("server", {"cors_origins": ["null"]}, "server.cors_origins: 'null'"),
        ("knowledge", {"kb": "sample"}, "knowledge.kb = 'sample'"),
        ("knowledge", {"url_base": "https://help.tillwick.example"}, "knowledge.url_base"),
        ("brand", {"name": "Tillwick"}, "brand.name"),
        ("brand", {"name": "our company"}, "brand.name = 'our company'"),
        ("limits", {"enabled": False}, "limits.enabled"),
        ("limits", {"global_per_day": 0}, "limits.global_per_day = 0"),
        ("limits", {"visitor_per_minute": 0}, "limits.visitor_per_minute = 0"),
        ("limits", {"handoff_per_hour": 0}, "limits.handoff_per_hour = 0"),
        ("limits", {"streams_per_address": 0}, "limits.streams_per_address = 0"),
        ("desk", {"messages_per_minute": 0}, "desk.messages_per_minute = 0"),
        ("llm", {"base_url": "http://127.0.0.1:9", "turn_max_tokens": 0}, "llm.turn_max_tokens = 0"),
    ],
)
def test_what_is_not_ready_is_refused_by_name(tmp_path: Path, section: str, values: dict[str, Any], says: str) -> None:
    wrong = settings(tmp_path, **{section: values})

    with pytest.raises(SettingsError, match=says):
        create_app(wrong, ScriptedAssistant())
    assert len(list(public.problems(wrong))) == 1
    private = wrong.model_copy(update={"server": wrong.server.model_copy(update={"public": False})})
    create_app(private, ScriptedAssistant())


def test_the_settings_as_they_come_are_refused_with_every_reason() -> None:
    found = list(public.problems(load_settings(ROOT / "config.toml", {})))

    assert [problem.split()[0] for problem in found] == [
        "server.demo_mode",
        "knowledge.kb",
        "limits.global_per_day",
    ]


def test_the_demos_account_has_to_be_disabled_first(tmp_path: Path) -> None:
    email, _ = demo_agent(settings(tmp_path))
    assert email == DEMO_AGENT

    async def start() -> None:
        app = create_app(settings(tmp_path), ScriptedAssistant())
        async with app.router.lifespan_context(app):
            pass

    async def disable() -> None:
        database = await open_database(settings(tmp_path).storage)
        people = People(database, database.tenant)
        found = await people.by_email(DEMO_AGENT)
        assert found is not None
        await people.change(found.id, active=False)
        await database.close()

    with pytest.raises(SettingsError, match=f"disable {DEMO_AGENT}"):
        asyncio.run(start())
    asyncio.run(disable())
    asyncio.run(start())


def test_other_accounts_are_no_demos(tmp_path: Path) -> None:
    async def look() -> None:
        database = await open_database(settings(tmp_path).storage)
        people = People(database, database.tenant)
        await people.add("ada@acme.example", "Ada", "admin", await hash_password("correct horse"), 0.0)
        await refuse_demo_agent(database)
        await database.close()

    asyncio.run(look())


@pytest.mark.slow
def test_the_command_ends_with_the_reasons_and_no_traceback(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "HANDRAIL__SERVER__PUBLIC": "true", "COLUMNS": "200"}

    ended = subprocess.run(
        [sys.executable, "-m", "handrail", "serve"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert ended.returncode == 1
    assert "knowledge.kb = 'sample'" in ended.stderr and "server.demo_mode = true" in ended.stderr
    assert "Traceback" not in ended.stderr
