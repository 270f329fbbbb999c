"""Sources that leads declare at the desk: checked, paused until they are turned on, and never a way into the server."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from handrail.knowledge.origins import Origins
from handrail.records.database import open_database
from handrail.records.desk_book import DeskBook
from handrail.records.desk_tables import AuditRow
from handrail.settings import Settings
from handrail.settings.sources import Source
from handrail.stores.lock import IndexLock
from tests.api.scripted import settings_in
from tests.api.test_desk_learning import NOW, people, sign_in
from tests.api.test_uploads import Learner
from tests.clock import Clock
from tests.records.talks import store

SECRET = "name@acme.com/token:s3cr3t"
CONFIGURED = {"kind": "git", "where": "https://git.acme.io/help.git", "auth": "GIT_TOKEN"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that leads may read, with a page and a way out, beside a file that they may not."""
    place = tmp_path_factory.mktemp("desk")
    (place / "help" / "pages").mkdir(parents=True)
    (place / "help" / "pages" / "mail.md").write_text("# Mail\n\nOpen **Mail**.\n")
    (place / "private").mkdir()
    (place / "private" / "secret.md").write_text("# Secret\n")
    (place / "help" / "out").symlink_to(place / "private")
    return place


@pytest.fixture(scope="module")
def settings(place: Path) -> Settings:
    made = settings_in(place / "data", knowledge={"desk_folders": [str(place / "help")]})
    return made.model_copy(update={"sources": [Source.model_validate(CONFIGURED)]})


@pytest.fixture(scope="module")
def learner() -> Learner:
    return Learner()


@pytest.fixture(scope="module")
def running(settings: Settings, learner: Learner) -> Iterator[TestClient]:
    async def fill() -> None:
        database = await open_database(settings.storage)
        await store(database, *people())
        await database.close()

    asyncio.run(fill())
    with TestClient(create_app(settings, learner, Clock(NOW))) as client:
        yield client


@pytest.fixture
def client(running: TestClient, settings: Settings) -> TestClient:
    for path in own(settings).glob("sources/desk/*"):
        path.unlink()
    return sign_in(running)


def own(settings: Settings) -> Path:
    return settings.storage.data_dir / "kb" / settings.knowledge.kb


def add(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/desk/api/sources", json={"kind": "zendesk", "where": "https://1.1.1.1", **fields})
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def audit(client: TestClient) -> Sequence[AuditRow]:
    assert client.portal is not None
    book: DeskBook = client.app.state.services.desk.book  # type: ignore[attr-defined]
    return client.portal.call(book.audit)


def listed(client: TestClient) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in client.get("/desk/api/sources").json()["items"]}


def test_a_source_is_paused_at_first_and_can_be_turned_on_changed_and_removed(client: TestClient) -> None:
    zendesk = {"kind": "zendesk", "where": "https://1.1.1.1"}
    one = add(client, locale="en-us", token=SECRET)
    path = f"/desk/api/sources/{one['id']}"
    assert (one["active"], one["has_token"], one["declared"]) == (False, True, "desk")
    assert client.post("/desk/api/sources", json={**zendesk, "locale": "en-us"}).status_code == 409, "declared already"

    assert client.post(f"{path}/active", json={"active": True}).json()["active"]
    changed = client.put(path, json={**zendesk, "locale": "de"}).json()
    assert (changed["locale"], changed["active"], changed["has_token"]) == ("de", True, True)
    assert not client.post(f"{path}/active", json={"active": False}).json()["active"]

    assert client.delete(path).status_code == 200
    assert one["id"] not in listed(client)
    for again in (client.delete(path), client.put(path, json=zendesk), client.post(f"{path}/preview")):
        assert again.status_code == 404
    done = {row.action for row in audit(client) if row.target == one["id"]}
    assert done == {"source_added", "source_resumed", "source_changed", "source_paused", "source_removed"}


def test_a_token_is_never_shown_again_and_goes_to_no_other_address(client: TestClient, settings: Settings) -> None:
    one = add(client, token=SECRET)
    elsewhere = {"kind": "zendesk", "where": "https://1.0.0.1"}

    refused = client.put(f"/desk/api/sources/{one['id']}", json=elsewhere)
    other_kind = client.put(f"/desk/api/sources/{one['id']}", json={"kind": "site", "where": "https://1.1.1.1"})

    assert (refused.status_code, other_kind.status_code) == (409, 409)
    assert "token again" in refused.json()["error"]["message"]
    assert "s3cr3t" not in client.get("/desk/api/sources").text + refused.text
    assert not any("s3cr3t" in str(row.detail) for row in audit(client))
    (kept,) = own(settings).glob("sources/desk/*.json")
    assert kept.stat().st_mode & 0o077 == 0 and "s3cr3t" in kept.read_text()
    assert not client.put(f"/desk/api/sources/{one['id']}", json={**elsewhere, "token": ""}).json()["has_token"]


@pytest.mark.parametrize(
    ("kind", "where", "says"),
    [
        ("site", "http://127.0.0.1:8000", "public internet"),
        ("site", "http://[::1]/", "public internet"),
        ("site", "http://169.254.169.254/latest/meta-data", "public internet"),
        ("zendesk", "http://2130706433/", "public internet"),
        ("site", "https://no-such-host.invalid", "public internet"),
        ("git", "https://10.0.0.7/help.git", "public internet"),
        ("git", "ssh://git@1.1.1.1/help.git", "https://"),
        ("git", "git@1.1.1.1:help.git", "whole address"),
        ("git", "file:///etc", "https://"),
        ("git", "/etc", "whole address"),
        ("git", "ext::sh -c id>://x", "https://"),
        ("git", "--upload-pack=id", "whole address"),
        ("site", "ftp://1.1.1.1", "http://"),
        ("site", "https://me:pw@1.1.1.1", "name and password"),
        ("folder", "/etc", "no such file"),
        ("folder", "../private", "no such file"),
        ("folder", "out", "no such file"),
        ("folder", "nothing-here", "no such file"),
        ("intercom", "/etc/passwd", "no such file"),
        ("chatwoot", "pages/../../private/secret.md", "no such file"),
    ],
)
def test_what_leads_type_is_no_way_to_the_disk_or_the_network(
    client: TestClient, kind: str, where: str, says: str
) -> None:
    answer = client.post("/desk/api/sources", json={"kind": kind, "where": where})

    assert answer.status_code == 422
    assert says in answer.json()["error"]["message"]
    assert len(listed(client)) == 1


def test_neither_an_environment_variable_nor_other_bounds_can_be_named(client: TestClient) -> None:
    for field in ({"auth": "OPENAI_API_KEY"}, {"private_network": True}, {"trusted": True}, {"branch": "--exec=id"}):
        body = {"kind": "git", "where": "https://1.1.1.1/help.git", **field}
        assert client.post("/desk/api/sources", json=body).status_code == 422


def test_a_token_is_not_sent_in_clear(client: TestClient) -> None:
    body = {"kind": "site", "where": "http://1.1.1.1", "token": "Basic abc"}

    assert client.post("/desk/api/sources", json=body).status_code == 422


def test_a_folder_that_is_allowed_is_taken_by_its_name_or_its_path(client: TestClient, place: Path) -> None:
    for where in ("pages", str(place / "help" / "pages" / "mail.md")):
        assert add(client, kind="folder", where=where)["where"].startswith(str(place / "help" / "pages"))


def test_what_config_toml_declares_is_shown_and_stays(client: TestClient) -> None:
    (one,) = listed(client).values()
    assert (one["where"], one["declared"], one["active"], one["has_token"]) == (
        CONFIGURED["where"],
        "config",
        True,
        True,
    )

    path = f"/desk/api/sources/{one['id']}"
    for answer in (
        client.delete(path),
        client.put(path, json={"kind": "site", "where": "https://1.1.1.1"}),
        client.post(f"{path}/active", json={"active": False}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "configured")
    assert client.post("/desk/api/sources/../../x/preview").status_code in (404, 405)


def test_the_articles_of_a_removed_source_stay_by_hand_or_leave_the_index(
    client: TestClient, settings: Settings, learner: Learner
) -> None:
    kept, dropped = add(client), add(client, locale="de")
    origins = own(settings) / "sources" / "origins.json"
    origins.write_text(json.dumps({"mail": kept["id"], "plans": dropped["id"], "teams": "config-1"}))
    assert listed(client)[kept["id"]]["articles"] == 1

    with IndexLock(own(settings) / "sources", write=True):
        assert client.delete(f"/desk/api/sources/{kept['id']}").status_code == 409
    client.delete(f"/desk/api/sources/{kept['id']}")
    assert learner.gone == []
    client.delete(f"/desk/api/sources/{dropped['id']}", params={"articles": "remove"})

    assert learner.gone == ["plans"]
    assert Origins(own(settings)).all()["mail"] == ""
    assert len(listed(client)) == 1


def test_only_leads_declare_sources(client: TestClient) -> None:
    sign_in(client, "agent")

    assert client.get("/desk/api/sources").status_code == 403
    assert client.post("/desk/api/sources", json={"kind": "site", "where": "https://1.1.1.1"}).status_code == 403


@pytest.mark.slow
def test_a_preview_tells_what_a_source_would_change_and_changes_nothing(
    client: TestClient, settings: Settings, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(settings.storage.data_dir))
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__KB", settings.knowledge.kb)
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__DESK_FOLDERS", json.dumps([str(place / "help")]))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    one = add(client, kind="folder", where="pages")

    assert client.post(f"/desk/api/sources/{one['id']}/preview").status_code == 202
    assert client.post(f"/desk/api/sources/{one['id']}/preview").status_code == 409
    deadline = time.monotonic() + 240
    while (told := client.get("/desk/api/sources").json())["running"]:
        assert time.monotonic() < deadline
        time.sleep(0.2)

    assert (told["preview"]["source"], told["preview"]["added"], told["last"]) == (one["id"], ["mail"], None)
