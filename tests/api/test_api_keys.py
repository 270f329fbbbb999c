"""Programs with keys of their own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

import api.app
from handrail.accounts.api_keys import ApiKeys, Scope
from handrail.accounts.tenants import Tenants
from handrail.cli.app import app
from handrail.records.api_keys import ApiKeyRecords
from handrail.records.database import open_database
from handrail.settings.load import of_tenant
from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import EPOCH, Clock

pytestmark = pytest.mark.usefixtures("each_database")

QUESTION = {"question": "How?"}
ALLOWED = {"api_keys": "allowed"}


def key_in(folder: Path, *scopes: Scope, per_day: int = 0, tenant: str | None = None) -> str:
    """A new key of the deployment's own, or of a tenant's."""
    settings = settings_in(folder)
    storage = (of_tenant(settings, tenant) if tenant else settings).storage

    async def make() -> str:
        database = await open_database(storage)
        keys = ApiKeys(ApiKeyRecords(database, database.tenant), database.tenant, lambda: EPOCH)
        _, key = await keys.create("A program", scopes or (Scope.ASK,), per_day)
        await database.close()
        return key

    return asyncio.run(make())


def revoke(folder: Path, key: str) -> None:
    async def work() -> None:
        database = await open_database(settings_in(folder).storage)
        assert await ApiKeyRecords(database, database.tenant).revoke(key.split("_")[1], EPOCH)
        await database.close()

    asyncio.run(work())


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def ask(client: TestClient, key: str, **body: Any) -> Any:
    return client.post("/ask", json={**QUESTION, **body}, headers=bearer(key))


def test_key_asks_and_what_it_begins_belongs_to_it(serve: Serve, tmp_path: Path) -> None:
    client = serve(server=ALLOWED)
    mine, others = key_in(tmp_path), key_in(tmp_path)

    assert ask(client, mine, conversation_id="c-1").status_code == 200
    assert ask(client, mine, conversation_id="c-1").status_code == 200
    assert ask(client, others, conversation_id="c-1").status_code == 404
    assert client.post("/ask", json={**QUESTION, "conversation_id": "c-1"}).status_code == 404
    assert client.get("/conversations/c-1", headers=bearer(others)).status_code == 404
    listed = client.get("/conversations", headers=bearer(mine)).json()["items"]
    assert [one["id"] for one in listed] == ["c-1"]
    assert client.post("/handoff", json={"conversation_id": "c-1"}, headers=bearer(mine)).status_code == 201
    with client.stream("POST", "/chat/stream", json=QUESTION, headers=bearer(mine)) as streamed:
        assert streamed.status_code == 200


def test_keys_are_taken_only_where_the_operator_wants_them(serve: Serve, tmp_path: Path) -> None:
    key = key_in(tmp_path)
    by_default, allowed, required = serve(), serve(server=ALLOWED), serve(server={"api_keys": "required"})

    assert ask(by_default, key).status_code == 401
    assert [ask(client, key).status_code for client in (allowed, required)] == [200, 200]
    for client, taken in ((allowed, 200), (required, 401)):
        token = client.post("/visitor", json={}).json()["token"]
        assert client.post("/ask", json=QUESTION).status_code == taken
        assert ask(client, token).status_code == taken


def test_revoked_changed_and_made_up_keys_are_refused(serve: Serve, tmp_path: Path) -> None:
    client = serve(server=ALLOWED)
    key = key_in(tmp_path)
    assert ask(client, key).status_code == 200
    changed = key[:-1] + ("0" if key[-1] != "0" else "1")

    for other in (changed, "hrk_", "hrk_x", f"hrk_{key.split('_')[1]}", f"hrk_{'0' * 12}_{'0' * 48}"):
        assert ask(client, other).json()["error"]["code"] == "key_invalid", other
    revoke(tmp_path, key)
    assert ask(client, key).json()["error"]["code"] == "key_invalid"


def test_key_does_only_what_its_scopes_say(serve: Serve, tmp_path: Path) -> None:
    client = serve(server=ALLOWED)
    keys = {scope: key_in(tmp_path, scope) for scope in Scope}

    def statuses(scope: Scope) -> list[int]:
        headers = bearer(keys[scope])
        return [
            ask(client, keys[scope]).status_code,
            client.get("/metrics", headers=headers).status_code,
            client.get("/tenants", headers=headers).status_code,
        ]

    assert statuses(Scope.ASK) == [200, 401, 401]
    assert statuses(Scope.METRICS) == [401, 200, 401]
    assert statuses(Scope.OPERATOR) == [401, 401, 200]
    assert [client.get(path).status_code for path in ("/metrics", "/tenants")] == [401, 401]


def test_keys_in_the_settings_go_on_working_and_others_only_where_they_are_accepted(
    serve: Serve, tmp_path: Path
) -> None:
    key, own = key_in(tmp_path, Scope.METRICS), "a-key-of-the-settings"
    client = serve(observe={"metrics_key": own})

    assert client.get("/metrics", headers=bearer(own)).status_code == 200
    assert client.get("/metrics", headers=bearer(key)).status_code == 401
    assert serve().get("/metrics", headers=bearer(key)).status_code == 404


def test_quota_is_the_keys_own_and_visitors_limits_are_not_its(serve: Serve, tmp_path: Path, clock: Clock) -> None:
    client = serve(server=ALLOWED, limits={"enabled": True, "visitor_per_minute": 1, "demo_global_per_day": 7})
    mine, others = key_in(tmp_path, per_day=3), key_in(tmp_path)

    seen = [ask(client, mine) for _ in range(5)]

    assert [answer.status_code for answer in seen] == [200, 200, 200, 429, 429]
    assert seen[-1].json()["error"]["details"] == [{"field": "scope", "message": "key_day"}]
    assert int(seen[-1].headers["Retry-After"]) == 86_400 - int(clock.now) % 86_400
    assert [ask(client, others).status_code for _ in range(5)] == [200] * 4 + [429]
    clock.now += 86_400
    assert ask(client, mine).status_code == 200


def test_question_that_others_used_up_costs_no_quota(serve: Serve, tmp_path: Path, clock: Clock) -> None:
    client = serve(server=ALLOWED, limits={"enabled": True, "global_per_minute": 1, "demo_global_per_day": 0})
    key = key_in(tmp_path, per_day=2)
    statuses = [ask(client, key).status_code for _ in range(6)]
    clock.now += 60

    assert statuses == [200, 429, 429, 429, 429, 429]
    assert ask(client, key).status_code == 200


@pytest.mark.anyio
async def test_of_many_questions_at_once_the_quota_passes(tmp_path: Path) -> None:
    key = await asyncio.to_thread(key_in, tmp_path, per_day=17)
    assistants: Sequence[ScriptedAssistant] = [ScriptedAssistant(), ScriptedAssistant()]
    async with (
        serving(tmp_path, assistants[0], server=ALLOWED) as here,
        serving(tmp_path, assistants[1], server=ALLOWED) as there,
    ):
        sent = ((here, there)[n % 2].post("/ask", json=QUESTION, headers=bearer(key)) for n in range(100))
        statuses = Counter(answer.status_code for answer in await asyncio.gather(*sent))

    assert statuses == {200: 17, 429: 83}


def test_key_of_another_company_opens_nothing(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.app, "_assembled", lambda settings, beside=None: ScriptedAssistant())
    acme, globex = (Tenants(tmp_path).create(name, name.title(), EPOCH) for name in ("acme", "globex"))
    keys = {
        acme.path: key_in(tmp_path, *Scope, tenant="acme"),
        globex.path: key_in(tmp_path, *Scope, tenant="globex"),
        "": key_in(tmp_path, *Scope),
    }
    client = serve(server=ALLOWED)

    for whose, key in keys.items():
        for where in keys:
            expected = 200 if where == whose else 401
            assert client.post(f"{where}/ask", json=QUESTION, headers=bearer(key)).status_code == expected
            assert client.get(f"{where}/metrics", headers=bearer(key)).status_code == expected
        listed = client.get("/tenants", headers=bearer(key)).status_code
        assert listed == (200 if whose == "" else 401)
    assert client.get(f"{acme.path}/tenants", headers=bearer(keys[acme.path])).status_code == 404


def test_wrong_keys_are_bounded_like_reads(serve: Serve) -> None:
    client = serve(server=ALLOWED, limits={"enabled": True, "reads_per_address": 3})

    assert [ask(client, f"hrk_{n}_x").status_code for n in range(5)] == [401, 401, 401, 429, 429]


@pytest.mark.anyio
async def test_no_key_is_on_record(tmp_path: Path) -> None:
    key = await asyncio.to_thread(key_in, tmp_path)
    database = await open_database(settings_in(tmp_path).storage)
    async with database.read_session() as session:
        rows = (await session.execute(text("SELECT * FROM api_keys WHERE tenant = 'default'"))).all()
    await database.close()

    assert len(rows) == 1
    assert key.split("_")[2] not in str(rows)


def handrail(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["key", *arguments])


def test_command_makes_lists_and_revokes(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = settings_in(tmp_path).storage
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", storage.database_url or "")
    client = serve(server=ALLOWED)

    key = handrail("create", "Shop", "--scope", "ask", "--scope", "metrics", "--per-day", "5").stdout.strip()
    assert ask(client, key).status_code == 200
    assert client.get("/metrics", headers=bearer(key)).status_code == 200
    listed = json.loads(handrail("list", "--json").stdout)
    assert [(row["name"], row["scopes"], row["per_day"]) for row in listed] == [("Shop", ["ask", "metrics"], 5)]
    assert key not in handrail("list").stdout

    assert handrail("revoke", listed[0]["id"]).exit_code == 0
    assert ask(client, key).status_code == 401
    assert handrail("revoke", listed[0]["id"]).exit_code != 0
    assert "revoked" in handrail("list").stdout
