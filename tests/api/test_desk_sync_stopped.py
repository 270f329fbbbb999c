"""A sync that is stopped at the desk ends between two batches: nothing of it is read, and the desk says so."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from handrail.assembly.index import versions_of
from handrail.records.database import open_database
from handrail.settings import Settings
from tests.api.scripted import settings_in
from tests.api.test_desk_learning import NOW, people, sign_in
from tests.api.test_desk_sources import add, audit, own
from tests.api.test_uploads import Learner
from tests.clock import Clock
from tests.records.talks import store

pytestmark = [pytest.mark.slow, pytest.mark.models]
PATIENCE_S = 300
PAGES = 600
"""Several batches, which take a while to encode."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "help").mkdir()
    made = settings_in(tmp_path / "data", knowledge={"desk_folders": [str(tmp_path / "help")]})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(made.storage.data_dir))
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__KB", made.knowledge.kb)
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__DESK_FOLDERS", json.dumps([str(tmp_path / "help")]))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return made


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    async def fill() -> None:
        database = await open_database(settings.storage)
        await store(database, *people())
        await database.close()

    asyncio.run(fill())
    with TestClient(create_app(settings, Learner(), Clock(NOW))) as client:
        yield sign_in(client)


def wait(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_sync_that_is_stopped_leaves_the_version_before_it_and_is_told_as_stopped(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "help" / "mail.md").write_text("# Mail\n\nOpen **Mail**.\n")
    one = add(client, kind="folder", where=".")
    client.post(f"/desk/api/sources/{one['id']}/active", json={"active": True})
    assert client.post("/desk/api/sources/stop").status_code == 409, "nothing is under way"
    assert synced(client)["added"] == ["mail"]
    versions = versions_of(settings)
    before = versions.current()
    for n in range(PAGES):
        steps = "\n".join(f"{step}. Open room {n} and turn lamp {step} on." for step in range(1, 9))
        (tmp_path / "help" / f"room-{n}.md").write_text(f"# Room {n}\n\n{steps}\n")

    client.post("/desk/api/sources/sync")
    wait(lambda: any(not version.generation for version in versions.found()))  # articles are being encoded
    assert client.post("/desk/api/sources/stop").status_code == 202
    assert client.get("/desk/api/sources").json()["stopping"]
    wait(lambda: not client.get("/desk/api/sources").json()["running"])

    told = client.get("/desk/api/sources").json()["last"]
    assert "stays as it was" in told["stopped"] and "added" not in told and "error" not in told
    assert versions.current() == before
    assert not json.loads((own(settings) / "sources" / "origins.json").read_text()).keys() & {"room-1"}
    assert "sync_stopped" in {row.action for row in audit(client)}


def test_a_sync_that_is_stopped_before_it_has_begun_says_so_too(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "help" / "mail.md").write_text("# Mail\n\nOpen **Mail**.\n")
    one = add(client, kind="folder", where=".")
    client.post(f"/desk/api/sources/{one['id']}/active", json={"active": True})

    client.post("/desk/api/sources/sync")
    client.post("/desk/api/sources/stop")
    wait(lambda: not client.get("/desk/api/sources").json()["running"])

    assert client.get("/desk/api/sources").json()["last"]["stopped"]


def synced(client: TestClient) -> dict[str, list[str]]:
    assert client.post("/desk/api/sources/sync").status_code == 202
    wait(lambda: not client.get("/desk/api/sources").json()["running"])
    told: dict[str, list[str]] = client.get("/desk/api/sources").json()["last"]
    return told
