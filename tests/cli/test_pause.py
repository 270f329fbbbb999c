"""`handrail desk pause` and `resume`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.accounts.tenants import Tenants
from handrail.cli.app import app
from handrail.cli.desk import with_database
from handrail.records.database import Database
from handrail.records.desk_book import DeskBook
from handrail.records.pauses import Pauses
from handrail.settings import WELL_KNOWN
from handrail.settings.load import of_tenant
from tests.api.scripted import settings_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HANDRAIL__STORAGE__TENANT", "")
    monkeypatch.delenv("HANDRAIL__STORAGE__TENANT")  # so that what `--tenant` sets is gone afterwards
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def desk(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code == 0, result.output
    return result.stderr


def state(folder: Path, tenant: str | None = None) -> tuple[bool, list[str]]:
    """Whether it is paused, and the actions of the audit log, the latest first."""

    async def work(database: Database) -> tuple[bool, list[str]]:
        paused = await Pauses(database, database.tenant).current() is not None
        return paused, [row.action for row in await DeskBook(database, database.tenant).audit()]

    settings = settings_in(folder)
    return with_database(of_tenant(settings, tenant) if tenant else settings, work)


def test_pause_and_resume_say_what_is_now_the_case_and_may_be_repeated(folder: Path) -> None:
    first, again = desk("desk", "pause"), desk("desk", "pause")
    paused = state(folder)
    resumed, twice = desk("desk", "resume"), desk("desk", "resume")

    assert "is paused" in first and "already" in again
    assert paused == (True, ["pause_assistant"])
    assert "answers again" in resumed and "wasn't paused" in twice
    assert state(folder) == (False, ["resume_assistant", "pause_assistant"])


def test_a_tenant_is_paused_alone(folder: Path) -> None:
    Tenants(folder).create("acme", "Acme", 1.0)

    desk("--tenant", "acme", "desk", "pause")

    assert (state(folder)[0], state(folder, "acme")[0]) == (False, True)
