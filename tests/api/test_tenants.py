"""Several companies behind one server: each has its own, and nobody reaches across."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

import api.app
from api.app import create_app
from api.crossing import ACTION
from api.dependencies import Assistant
from api.tenants import RunningTenants
from handrail.accounts.passwords import hash_password
from handrail.accounts.tenants import Tenant, Tenants
from handrail.records.database import open_database
from handrail.records.desk_book import DeskBook
from handrail.records.desk_tables import AuditRow
from handrail.records.people import People
from handrail.settings import Settings
from handrail.settings.load import of_tenant
from handrail.settings.tenants import FILE, folder_of
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.two_sides import PASSWORD
from tests.clock import EPOCH, Clock

KEY = "an-operators-own-key"
SECRET = "quokkajar"
"""Said at one company alone."""


@dataclass
class Site:
    client: TestClient
    settings: Settings
    tenants: Tenants
    assistants: dict[str, ScriptedAssistant] = field(default_factory=dict)

    def make(self, name: str) -> Tenant:
        return self.tenants.create(name, name.title(), EPOCH)

    async def admin_of(self, tenant: Tenant, email: str = "ada@example.com", role: str = "admin") -> None:
        database = await open_database(of_tenant(self.settings, tenant.name).storage)
        people = People(database, database.tenant)
        await people.add(email, email[:3].title(), role, await hash_password(PASSWORD), 1.0)
        await database.close()


@pytest.fixture
def site(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Site]]:
    monkeypatch.setattr("api.tenants.LOOK_S", -1.0)
    monkeypatch.setattr("handrail.assembly.tenants.UNTIL_SEEN_S", 0.0)
    assistants: dict[str, ScriptedAssistant] = {}

    def assembled(settings: Settings, beside: Assistant | None = None) -> Assistant:
        return assistants.setdefault(settings.storage.tenant, ScriptedAssistant())

    monkeypatch.setattr(api.app, "_assembled", assembled)
    with ExitStack() as running:

        def start() -> Site:
            settings = settings_in(tmp_path, server={"operator_key": KEY}, limits={"enabled": False})
            client = running.enter_context(TestClient(create_app(settings, None, clock)))
            return Site(client, settings, Tenants(settings.storage.data_dir), assistants)

        yield start


def ask(site: Site, path: str, token: str | None = None, **body: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return site.client.post(f"{path}/ask", json={"question": "How do I pay?", **body}, headers=headers)


def test_each_company_is_asked_under_its_own_path(site: Callable[[], Site]) -> None:
    served = site()
    acme, globex = served.make("acme"), served.make("globex")

    assert ask(served, acme.path).status_code == 200
    assert [len(one.asked) for one in (served.assistants["default"], served.assistants["acme"])] == [0, 1]
    assert "globex" not in served.assistants, "nobody has asked for it yet"
    names = [served.client.get(f"{path}/config").json()["brand"]["name"] for path in (acme.path, globex.path)]
    assert names == ["Acme", "Globex"]


@pytest.mark.parametrize("path", ["/t/", "/t", "/t/w0000000000000000/ask", "/t/acme/ask"])
def test_an_id_that_is_none_is_like_any_address_that_is_not_there(site: Callable[[], Site], path: str) -> None:
    served = site()
    served.make("acme")

    answer = served.client.post(path, json={"question": "?"})

    assert answer.status_code in (404, 405)
    assert answer.json()["error"]["code"] in ("not_found", "method_not_allowed")
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["x-request-id"]


def test_paused_resumed_given_another_id_and_removed(site: Callable[[], Site]) -> None:
    served = site()
    acme, globex = served.make("acme"), served.make("globex")
    token = served.client.post(f"{acme.path}/visitor", json={}).json()["token"]
    assert ask(served, acme.path, token).status_code == 200

    served.tenants.suspend("acme")
    assert ask(served, acme.path).json()["error"]["code"] == "suspended"
    assert ask(served, globex.path).status_code == 200
    served.tenants.resume("acme")
    assert ask(served, acme.path, token).status_code == 200

    moved = served.tenants.rotate("acme")
    assert ask(served, acme.path).status_code == 404
    assert ask(served, moved.path, token).status_code == 401
    assert ask(served, moved.path).status_code == 200

    gone = served.client.delete("/tenants/acme", headers={"Authorization": f"Bearer {KEY}"})
    assert gone.status_code == 204
    assert ask(served, moved.path).status_code == 404
    assert ask(served, globex.path).status_code == 200


def test_those_that_are_there_are_started_with_the_server(site: Callable[[], Site], tmp_path: Path) -> None:
    Tenants(tmp_path).create("acme", "Acme", EPOCH)
    Tenants(tmp_path).create("paused", "Paused", EPOCH)
    Tenants(tmp_path).suspend("paused")
    (folder_of(tmp_path, Tenants(tmp_path).create("broken", "Broken", EPOCH).name) / FILE).write_text("[brand")

    served = site()
    served.client.get("/health")

    assert "acme" in served.assistants
    assert "paused" not in served.assistants and "broken" not in served.assistants


def test_what_a_suspended_company_does_in_the_background_ends_without_a_request(
    site: Callable[[], Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.tenants.EVERY_S", 0.02)
    served = site()
    acme = served.make("acme")
    assert ask(served, acme.path).status_code == 200

    served.tenants.suspend("acme")

    deadline = time.monotonic() + 30
    while not served.assistants["acme"].stopped and time.monotonic() < deadline:
        time.sleep(0.02)
    assert served.assistants["acme"].stopped


@pytest.mark.anyio
async def test_a_company_closes_what_it_has_open_though_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    closing, closed = asyncio.Event(), []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        closing.set()
        await asyncio.sleep(0.05)
        closed.append(True)

    tenants = Tenants(tmp_path)
    acme = tenants.create("acme", "Acme", EPOCH)
    running = RunningTenants(tmp_path, lambda name: FastAPI(lifespan=lifespan))
    assert await running.served(acme) is not None
    watching = asyncio.create_task(running.run())
    tenants.suspend("acme")
    await asyncio.wait_for(closing.wait(), 30)

    watching.cancel()
    await asyncio.wait([watching])
    await running.close()

    assert closed == [True]


def test_settings_of_no_use_are_that_companys_matter_alone(site: Callable[[], Site]) -> None:
    served = site()
    acme, globex = served.make("acme"), served.make("globex")
    (folder_of(served.settings.storage.data_dir, "acme") / FILE).write_text("[limits]\nvisitor_per_day = -1")

    assert ask(served, acme.path).json()["error"]["code"] == "unavailable"
    assert ask(served, globex.path).status_code == 200
    (folder_of(served.settings.storage.data_dir, "acme") / FILE).write_text('[brand]\nname = "Acme again"')
    assert served.client.get(f"{acme.path}/config").json()["brand"]["name"] == "Acme again"
    assert ask(served, "").status_code == 200


def test_the_operator_makes_and_changes_companies_with_the_key_alone(site: Callable[[], Site]) -> None:
    served, mine = site(), {"Authorization": f"Bearer {KEY}"}
    new = {"name": "acme", "company": "Acme Ltd"}

    assert served.client.post("/tenants", json=new).status_code == 401
    assert served.client.get("/tenants", headers={"Authorization": "Bearer wrong"}).status_code == 401
    made = served.client.post("/tenants", json=new, headers=mine)
    assert made.status_code == 201
    assert served.client.post("/tenants", json=new, headers=mine).status_code == 409
    for name in ("../x", "default"):
        assert served.client.post("/tenants", json={**new, "name": name}, headers=mine).status_code == 422
    assert served.client.delete("/tenants/default", headers=mine).status_code == 422
    assert ask(served, made.json()["path"]).status_code == 200
    assert served.client.post("/tenants/acme/suspend", headers=mine).json()["suspended"]
    assert served.client.post("/tenants/nobody/suspend", headers=mine).status_code == 404
    assert [one["name"] for one in served.client.get("/tenants", headers=mine).json()] == ["acme"]
    assert served.client.get(f"{made.json()['path']}/tenants", headers=mine).status_code in (403, 404)


PLACE = re.compile(r"{([a-z_]+)(?::path)?}")


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Every method and path, the desk's included."""
    for route in iter_route_contexts(app.routes):
        path = str(route.path or getattr(route.original_route, "path", ""))
        for method in sorted((route.methods or {"GET"}) - {"HEAD"}):
            yield method, path


async def audit_of(site: Site, tenant: Tenant) -> list[AuditRow]:
    database = await open_database(of_tenant(site.settings, tenant.name).storage)
    rows = await DeskBook(database, database.tenant).audit(action=ACTION, limit=10_000)
    await database.close()
    return list(rows)


def begun(site: Site, tenant: Tenant, secret: str) -> tuple[dict[str, str], dict[str, str]]:
    """A conversation in which `secret` was said: its ids, and all credentials of this tenant in one request."""
    client = site.client
    token = client.post(f"{tenant.path}/visitor", json={}).json()["token"]
    ids = {"conversation_id": f"c-{secret}", "turn_id": str(uuid4())}
    assert ask(site, tenant.path, token, question=f"Where is my {secret}?", **ids).status_code == 200
    asked = {"conversation_id": ids["conversation_id"], "message": secret}
    ids["reference"] = client.post(
        f"{tenant.path}/handoff", json=asked, headers={"Authorization": f"Bearer {token}"}
    ).json()["reference"]
    signed = client.post(f"{tenant.path}/desk/api/sign-in", json={"email": "ada@example.com", "password": PASSWORD})
    [cookie] = [one for one in client.cookies.jar if one.name == "handrail_desk"]
    assert cookie.path == f"{tenant.path}/desk"
    mine = {"Cookie": f"handrail_desk={cookie.value}", "X-CSRF-Token": signed.json()["csrf"]}
    ids["user_id"] = _first_id(client.get(f"{tenant.path}/desk/api/users", headers=mine).json())
    client.cookies.clear()
    assert secret in client.get(f"{tenant.path}/desk/api/conversations/c-{secret}", headers=mine).text
    return ids, {"Authorization": f"Bearer {token}", **mine}


@pytest.mark.anyio
@pytest.mark.usefixtures("each_database")
async def test_nobody_reaches_across(site: Callable[[], Site], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every endpoint of one company, with the other's credentials, and with the ids of both."""
    monkeypatch.setattr("api.crossing.PER_DAY", 10_000)
    served = site()
    acme, globex = served.make("acme"), served.make("globex")
    for tenant in (acme, globex):
        await served.admin_of(tenant)
    own, theirs = f"{SECRET}a", f"{SECRET}b"
    (ids, mine), (others, _) = begun(served, acme, own), begun(served, globex, theirs)
    client, app = served.client, served.client.app
    assert isinstance(app, FastAPI)

    refused: Counter[tuple[str, str, int]] = Counter()
    reached, called = [], set()
    for method, path in routes(app):
        if not path.startswith("/"):
            continue
        for known in (ids, others):
            conversation = known["conversation_id"]
            sent = {**known, "question": "What did I say?", "version": 1, "text": "Hello", "message": "Hi"}
            where = PLACE.sub(lambda place: known.get(place[1], conversation), path)  # noqa: B023
            body = None if method == "GET" else sent
            answer = client.request(method, f"{globex.path}{where}", json=body, headers=mine, follow_redirects=False)
            client.cookies.clear()
            called.add((method.lower(), path))
            assert answer.status_code < 500, (method, path, answer.text)
            if re.search(f"(?<!c-){SECRET}", answer.text):
                reached.append((method, path, answer.status_code, answer.text[:200]))
            if path.startswith("/desk/api/") and path not in OPEN_AT_THE_DESK:
                assert answer.status_code in (401, 403, 404, 405, 422, 429), (method, path, answer.text)
            if answer.status_code >= 400:
                refused[method, where, answer.status_code] += 1

    assert reached == []
    documented = {(method, path) for path, ways in app.openapi()["paths"].items() for method in ways}
    assert documented and documented <= called
    noticed = await audit_of(served, globex)
    assert Counter((row.detail["method"], row.target, row.detail["status"]) for row in noticed if row.detail) == refused
    assert sum(refused.values()) > 100
    assert await audit_of(served, acme) == []
    kept = client.get(f"{acme.path}/desk/api/conversations/{ids['conversation_id']}", headers=mine)
    assert kept.status_code == 200 and "Hello" not in kept.text


@pytest.mark.anyio
async def test_attempts_from_another_company_are_shown_to_leads_and_bounded(
    site: Callable[[], Site], monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr("api.crossing.PER_DAY", 4)
    monkeypatch.setattr("api.crossing.LOOKS_PER_MINUTE", 2)
    served = site()
    acme, globex = served.make("acme"), served.make("globex")
    for tenant in (acme, globex):
        await served.admin_of(tenant)
    _, mine = begun(served, acme, "a")
    token, session = {"Authorization": mine["Authorization"]}, {"Cookie": mine["Cookie"]}
    served.client.get(f"{globex.path}/config", headers=token)  # nobody is refused what is public

    def reach(headers: dict[str, str], times: int, path: str = "me") -> None:
        for _ in range(times):
            assert served.client.get(f"{globex.path}/desk/api/{path}", headers=headers).status_code == 401

    reach({"Authorization": "Bearer hrk_0123_junk", "Cookie": "handrail_desk=junk"}, 3)
    assert await audit_of(served, globex) == []
    clock.now += 60
    reach(session, 5)
    assert len(await audit_of(served, globex)) == 2
    reach(token, 5, "audit?x=%0a%00")
    assert len(await audit_of(served, globex)) == 4
    assert served.client.get("/conversations", headers=token).status_code == 401
    clock.now += 86_401
    reach(token, 1)
    assert len(await audit_of(served, globex)) == 5

    await served.admin_of(globex, "leo@example.com", "lead")
    await served.admin_of(globex, "amy@example.com", "agent")
    shown = {}
    for name in ("leo", "amy"):
        signing = {"email": f"{name}@example.com", "password": PASSWORD}
        assert served.client.post(f"{globex.path}/desk/api/sign-in", json=signing).status_code == 200
        shown[name] = served.client.get(f"{globex.path}/desk/api/audit")
    entries = shown["leo"].json()["items"]
    assert {entry["action"] for entry in entries} == {ACTION} and len(entries) == 5
    assert "acme" not in shown["leo"].text and shown["amy"].status_code == 403


def test_a_host_name_of_its_own_leads_to_one_company_and_any_other_to_nobody_new(site: Callable[[], Site]) -> None:
    served = site()
    acme, globex = served.make("acme"), served.make("globex")
    operator = {"Authorization": f"Bearer {KEY}"}

    def named(host: str, path: str = "/config") -> str | int:
        answer = served.client.get(path, headers={"Host": host})
        return str(answer.json()["brand"]["name"]) if answer.status_code == 200 else answer.status_code

    put = {"hosts": ["Support.Acme.com", "hilfe-bücher.example"]}
    assert served.client.put("/tenants/acme/hosts", json=put, headers=operator).json()["hosts"] == [
        "support.acme.com",
        "xn--hilfe-bcher-zhb.example",
    ]
    assert [named(host) for host in ("support.acme.com", "SUPPORT.ACME.COM.:8400", "xn--hilfe-bcher-zhb.example")] == [
        "Acme"
    ] * 3
    assert [named(host) for host in ("acme.com", "acme", "globex", "x.support.acme.com", "testserver")] == [
        "Tillwick"
    ] * 5
    assert named("support.acme.com", f"{acme.path}/config") == "Acme"
    assert named("support.acme.com", f"{globex.path}/config") == 404, "two companies never share an origin of one"
    for hosts, refused in ((["support.acme.com"], 409), (["https://a.example"], 422), ([f"{'a' * 70}.example"], 422)):
        answer = served.client.put("/tenants/globex/hosts", json={"hosts": hosts}, headers=operator)
        assert answer.status_code == refused, hosts
    served.tenants.suspend("acme")
    assert named("support.acme.com") == 403
    served.tenants.resume("acme")
    served.tenants.answer_at("acme", [])
    assert named("support.acme.com") == "Tillwick"


OPEN_AT_THE_DESK = {"/desk/api/ways"}
"""What the sign-in page needs before anybody has signed in."""


def _first_id(users: Any) -> str:
    listed = users if isinstance(users, list) else next((v for v in users.values() if isinstance(v, list)), [{}])
    return str(listed[0].get("id", "nobody"))


def test_companies_beside_are_known_only_to_the_deployments_own_application(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    Tenants(settings.storage.data_dir).create("acme", "Acme", EPOCH)

    app = create_app(of_tenant(settings, "acme"), ScriptedAssistant())

    assert not any(isinstance(one.kwargs.get("tenants"), RunningTenants) for one in app.user_middleware)
