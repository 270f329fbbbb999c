"""`handrail outbox` and `handrail context` as an operator types them."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.accounts.customer.signed import read
from handrail.cli.app import app
from handrail.desk.outbox import NewNotification
from handrail.errors import PermanentError, SettingsError
from handrail.records.database import open_database
from handrail.records.outbox import OutboxRecords
from handrail.settings import Storage

RUN = CliRunner()
SECRET = "a secret of the operator"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    return tmp_path


def dead_notification(folder: Path) -> str:
    async def write() -> str:
        database = await open_database(Storage(data_dir=folder))
        outbox = OutboxRecords(database, "default")
        (id_,) = await outbox.write([NewNotification("mail", "ada@example.com", {})], 1.0)
        claim, _ = await outbox.claim(2.0, 60, 1)
        await outbox.failed(id_, claim, "refused", None)
        await database.close()
        return id_

    return asyncio.run(write())


def test_a_dead_letter_is_seen_and_tried_again(folder: Path) -> None:
    id_ = dead_notification(folder)

    (listed,) = json.loads(RUN.invoke(app, ["outbox", "list", "--state", "dead", "--json"]).stdout)
    shown = RUN.invoke(app, ["outbox", "list"]).stdout
    assert (listed["id"], listed["error"]) == (id_, "refused")
    assert "ada@example.com" in shown
    assert "refused" in shown

    assert RUN.invoke(app, ["outbox", "retry", id_]).exit_code == 0
    assert json.loads(RUN.invoke(app, ["outbox", "list", "--state", "dead", "--json"]).stdout) == []
    assert isinstance(RUN.invoke(app, ["outbox", "retry", id_]).exception, PermanentError)


def test_a_context_is_signed_to_try_a_policy_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(RUN.invoke(app, ["context", "sign", "plan=Studio"]).exception, SettingsError)
    monkeypatch.setenv("HANDRAIL__CUSTOMER__SECRET", SECRET)

    token = RUN.invoke(app, ["context", "sign", "plan=Studio", "tenure_months=14"]).stdout.strip()

    assert read(SECRET, token, time.time(), "c-1") == {"plan": "Studio", "tenure_months": 14.0}
    assert isinstance(RUN.invoke(app, ["context", "sign", "plan=<b>"]).exception, PermanentError)
    assert isinstance(RUN.invoke(app, ["context", "sign", "plan"]).exception, PermanentError)
