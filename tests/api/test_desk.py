"""The desk's API: signing in, and what agents do in conversations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from handrail.accounts.passwords import hash_password
from handrail.cli.desk import with_database
from handrail.desk.outbox import NewNotification
from handrail.records.outbox import OutboxRecords
from handrail.records.people import People
from handrail.turn import outcome
from tests.api.conftest import Serve
from tests.api.scripted import CITATIONS, ScriptedAssistant, settings_in
from tests.clock import Clock

pytestmark = pytest.mark.usefixtures("each_database")

PASSWORD = "correct horse battery"
PEOPLE = {"ada": "admin", "bob": "agent"}


@dataclass
class AgentPage:
    """An agent's browser."""

    client: TestClient
    csrf: str
    id: str

    def post(self, path: str, **body: Any) -> Any:
        return self._send("POST", path, body)

    def get(self, path: str, **query: Any) -> Any:
        self._mine()
        return self.client.get(f"/desk/api/{path}", params=query)

    def _send(self, method: str, path: str, body: dict[str, Any]) -> Any:
        self._mine()
        return self.client.request(method, f"/desk/api/{path}", json=body, headers={"X-CSRF-Token": self.csrf})

    def _mine(self) -> None:
        self.client.cookies.clear()
        self.client.cookies.set("handrail_desk", self.cookie, path="/desk")

    cookie: str = ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    async def add(database: Any) -> None:
        hashed = await hash_password(PASSWORD)
        for name, role in PEOPLE.items():
            await People(database, "default").add(f"{name}@example.com", name.title(), role, hashed, 1.0)

    with_database(settings_in(tmp_path), add)
    return tmp_path


@pytest.fixture
def client(folder: Path, serve: Serve) -> TestClient:
    return serve()


def sign_in(client: TestClient, name: str, password: str = PASSWORD) -> Any:
    return client.post("/desk/api/sign-in", json={"email": f"{name}@Example.com", "password": password})


def page(client: TestClient, name: str) -> AgentPage:
    answer = sign_in(client, name)
    assert answer.status_code == 200, answer.text
    cookie = answer.cookies["handrail_desk"]
    return AgentPage(client, answer.json()["csrf"], answer.json()["user"]["id"], cookie)


@pytest.fixture
def ada(client: TestClient) -> AgentPage:
    return page(client, "ada")


@pytest.fixture
def bob(client: TestClient) -> AgentPage:
    return page(client, "bob")


@pytest.fixture
def visitor(client: TestClient) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.post('/visitor', json={}).json()['token']}"}


def ticket(client: TestClient, visitor: dict[str, str], id_: str = "c-1") -> str:
    client.post("/ask", json={"question": "How do I cancel?", "conversation_id": id_}, headers=visitor)
    asked = client.post("/handoff", json={"conversation_id": id_, "reason": "high_stakes"}, headers=visitor)
    return str(asked.json()["reference"])


def test_session_is_kept_from_scripts_and_other_sites(client: TestClient) -> None:
    answer = sign_in(client, "ada")
    cookie = answer.headers["set-cookie"].lower()

    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/desk" in cookie
    assert "password" not in answer.text


@pytest.mark.parametrize("path", ["me", "conversations", "conversations/c-1", "users", "canned", "audit", "events"])
def test_nothing_is_shown_without_a_session(client: TestClient, path: str) -> None:
    assert client.get(f"/desk/api/{path}").status_code == 401


def test_writes_need_the_token_of_the_page(ada: AgentPage) -> None:
    ada.csrf = "forged"

    assert ada.post("canned", title="Hi", text="Hello").status_code == 403


SIGNED_OUT = {"/desk/api/sign-in", "/desk/api/ways", "/desk/api/oidc/start", "/desk/api/oidc/callback"}
"""What is there before anybody has signed in."""


def test_no_address_of_the_desk_takes_anything_without_session_and_token(client: TestClient, ada: AgentPage) -> None:
    """All of them, as the application itself lists them."""
    session = {"Cookie": f"handrail_desk={ada.cookie}"}
    wrong = []
    called = 0
    for route in iter_route_contexts(client.app.routes):  # type: ignore[attr-defined]
        path = str(route.path or getattr(route.original_route, "path", ""))
        if not path.startswith("/desk/api/") or path in SIGNED_OUT:
            continue
        place = re.sub(r"{\w+}", "c-1", path)
        for method in (route.methods or {"GET"}) - {"HEAD"}:
            called += 1
            client.cookies.clear()
            outside = client.request(method, place, json=None if method == "GET" else {}).status_code
            forged = {**session, "X-CSRF-Token": "forged"}
            across = outside if method == "GET" else client.request(method, place, json={}, headers=forged).status_code
            if (outside, across) != (401, 401 if method == "GET" else 403):
                wrong.append((method, path, outside, across))

    assert called > 30
    assert wrong == []


def test_wrong_passwords_run_out_and_are_forgiven_after_a_while(client: TestClient, clock: Clock) -> None:
    refused = [sign_in(client, "ada", "wrong").status_code for _ in range(5)]
    waits = sign_in(client, "ada")
    others = sign_in(client, "bob")
    clock.now += 901

    assert refused == [401] * 5
    assert (waits.status_code, int(waits.headers["retry-after"]) <= 900) == (429, True)
    assert others.status_code == 200
    assert sign_in(client, "ada").status_code == 200


def test_agents_may_not_do_what_is_for_others(bob: AgentPage) -> None:
    assert bob.get("audit").status_code == 403
    assert bob.get("visitors/v-1/export").status_code == 403
    assert bob.post("users", email="eve@example.com").status_code == 403
    assert bob.post("canned", title="Hi", text="Hello").status_code == 403


def test_whole_hand_off(client: TestClient, ada: AgentPage, bob: AgentPage, visitor: dict[str, str]) -> None:
    reference = ticket(client, visitor)
    queue = ada.get("conversations", state="queued").json()
    (item,) = queue["items"]
    assert (item["reference"], item["reason"], queue["counts"]["queued"]) == (reference, "high_stakes", 1)

    taken = ada.post("conversations/c-1/take", version=item["version"])
    late = bob.post("conversations/c-1/take", version=item["version"])
    assert taken.json()["owner"] == {"id": ada.id, "name": "Ada"}
    assert (late.status_code, late.json()["error"]["owner"]["id"]) == (409, ada.id)
    assert bob.post("conversations/c-1/reply", id=str(uuid4()), text="Me too").status_code == 409

    said = str(uuid4())
    first, again = (ada.post("conversations/c-1/reply", id=said, text="Hi, Ada here.") for _ in range(2))
    assert first.json() == again.json()
    asked = client.post("/ask", json={"question": "Cancel it", "conversation_id": "c-1"}, headers=visitor).json()
    assert (asked["routing"], asked["answer"]) == ("handed_off", "Ada has taken over this conversation.")
    ada.post("conversations/c-1/note", text="Long-time customer")

    whole = ada.get("conversations/c-1").json()
    assert [(one["author"], one["kind"]) for one in whole["messages"]] == [
        ("visitor", "message"),
        ("assistant", "message"),
        ("system", "event"),
        ("system", "announcement"),
        ("agent", "message"),
        ("visitor", "message"),
    ]
    assert whole["notes"][0]["name"] == "Ada"
    assert whole["turns"][0]["passages"][0]["title"] == "Connect a domain"
    assert whole["conversation"]["unread"] == 1
    ada.post("conversations/c-1/read", seq=6)
    assert ada.get("conversations/c-1").json()["conversation"]["unread"] == 0

    back = ada.post("conversations/c-1/hand-back", version=taken.json()["version"]).json()
    bot = client.post("/ask", json={"question": "And now?", "conversation_id": "c-1"}, headers=visitor).json()
    assert (back["state"], bot["routing"]) == ("handed_back", "answered")

    done = ada.post("conversations/c-1/resolve", version=back["version"], cause="answered").json()
    rated = client.post("/conversations/c-1/csat", json={"score": 5}, headers=visitor)
    assert (done["state"], done["resolve_cause"], rated.status_code) == ("resolved", "answered", 201)
    reopened = client.post("/conversations/c-1/reopen", json={}, headers=visitor).json()
    assert (reopened["state"], reopened["generation"]) == ("queued", 2)
    actions = [entry["action"] for entry in ada.get("audit").json()["items"]]
    assert {"take", "hand_back", "resolve", "sign_in"} <= set(actions)


def test_what_visitor_and_person_say_is_overheard_and_notes_are_not(
    client: TestClient, ada: AgentPage, visitor: dict[str, str], assistant: ScriptedAssistant
) -> None:
    ticket(client, visitor)
    taken = ada.post("conversations/c-1/take", version=1).json()
    said = {"question": "Can I move my waitlist?", "conversation_id": "c-1"}
    assert client.post("/ask", json=said, headers=visitor).json()["routing"] == "handed_off"
    replied = {"id": "m-1", "text": "I have moved it."}
    for _ in range(2):
        assert ada.post("conversations/c-1/reply", **replied).status_code == 201
    ada.post("conversations/c-1/note", text="Angry, be careful")
    ada.post("conversations/c-1/hand-back", version=taken["version"])

    assert assistant.overheard == ["Can I move my waitlist?", "I have moved it."]


def test_notes_never_reach_the_visitor(client: TestClient, ada: AgentPage, visitor: dict[str, str]) -> None:
    ticket(client, visitor)
    ada.post("conversations/c-1/note", text="Angry, be careful")

    assert "careful" not in client.get("/conversations/c-1", headers=visitor).text
    assert "careful" not in client.get("/conversations/c-1/transcript", headers=visitor).text


def test_transfer_changes_the_owner(
    client: TestClient, ada: AgentPage, bob: AgentPage, visitor: dict[str, str]
) -> None:
    ticket(client, visitor)
    taken = ada.post("conversations/c-1/take", version=1).json()
    given = ada.post("conversations/c-1/transfer", version=taken["version"], user_id=bob.id).json()

    assert given["owner"]["name"] == "Bob"
    assert ada.post("conversations/c-1/reply", id="m-1", text="Still me").status_code == 409
    assert bob.post("conversations/c-1/reply", id="m-2", text="Bob here").status_code == 201
    assert ada.post("conversations/c-1/transfer", version=given["version"], user_id="nobody").status_code == 422


def test_draft_is_not_sent(
    client: TestClient, ada: AgentPage, visitor: dict[str, str], assistant: ScriptedAssistant
) -> None:
    ticket(client, visitor)
    drafted = ada.post("conversations/c-1/draft").json()

    assert drafted["text"].startswith("Open Settings")
    assert drafted["citations"][0]["title"] == "Connect a domain"
    assert assistant.asked[-1].conversation_id != "c-1"
    assert len(ada.get("conversations/c-1").json()["messages"]) == 3


def test_draft_goes_on_from_what_was_answered_and_leaves_out_the_assistants_own_words(
    client: TestClient, ada: AgentPage, visitor: dict[str, str], assistant: ScriptedAssistant
) -> None:
    for text in ("How do I connect a domain?", "And how long does it take?"):
        client.post("/ask", json={"question": text, "conversation_id": "c-1"}, headers=visitor)
    assistant.result = outcome.high_stakes("A person should see this.", CITATIONS, 0.9)
    drafted = ada.post("conversations/c-1/draft").json()

    asked = assistant.asked[-1]
    assert asked.text == "And how long does it take?"
    assert [turn.article_ids for turn in asked.history] == [("domains:connect",)]
    assert drafted["text"] == ""
    assert assistant.forgotten[-1] == asked.conversation_id


def test_queue_is_filtered_searched_and_paged(client: TestClient, ada: AgentPage, visitor: dict[str, str]) -> None:
    for n in range(5):
        ticket(client, visitor, f"c-{n}")
    first = ada.get("conversations", state="queued", limit=2).json()
    second = ada.get("conversations", state="queued", limit=2, cursor=first["next"]).json()

    assert [item["id"] for item in (*first["items"], *second["items"])] == ["c-0", "c-1", "c-2", "c-3"]
    assert len(ada.get("conversations", q="CANCEL").json()["items"]) == 5
    assert ada.get("conversations", q="100%_nothing").json()["items"] == []
    assert ada.get("conversations", label="nonsense").json()["items"] == []
    assert len(ada.get("conversations", owner="none", state="queued").json()["items"]) == 5
    assert ada.get("conversations", owner="me").json()["items"] == []


def test_similar_resolved_conversations(client: TestClient, ada: AgentPage, visitor: dict[str, str]) -> None:
    for n in range(2):
        ticket(client, visitor, f"c-{n}")
    ada.post("conversations/c-0/resolve", version=1, cause="answered")

    assert [item["id"] for item in ada.get("conversations/c-1/similar").json()["items"]] == ["c-0"]


def test_visitor_is_exported_and_deleted(client: TestClient, ada: AgentPage, visitor: dict[str, str]) -> None:
    ticket(client, visitor)
    id_ = ada.get("conversations/c-1").json()["visitor"]["id"]
    exported = ada.get(f"visitors/{id_}/export").json()["conversations"]
    gone = ada._send("DELETE", f"visitors/{id_}", {}).json()

    assert len(exported[0]["messages"]) == 3
    assert exported[0]["handoffs"][0]["reference"] == exported[0]["conversation"]["reference"]
    assert gone == {"deleted": 1}
    assert ada.get(f"visitors/{id_}/export").json()["conversations"] == []
    assert client.get("/conversations/c-1", headers=visitor).status_code == 404


def test_letters_are_for_leads_and_sent_again_on_the_record(
    client: TestClient, folder: Path, ada: AgentPage, bob: AgentPage
) -> None:
    async def write(database: Any) -> None:
        outbox = OutboxRecords(database, "default")
        await outbox.write([NewNotification("webhook", "alerts.example.net", {"secret": "words"})], 1.0)
        claim, letters = await outbox.claim(2.0, 60, 10)
        await outbox.failed(letters[0].id, claim, "the receiver answered 503", None)

    with_database(settings_in(folder), write)

    assert bob.get("letters").status_code == 403
    dead = ada.get("letters", state="dead").json()["items"]
    assert [(one["target"], one["error"]) for one in dead] == [("alerts.example.net", "the receiver answered 503")]
    assert "words" not in str(dead)
    assert bob.post(f"letters/{dead[0]['id']}/retry").status_code == 403
    assert ada.post("letters/unknown/retry").status_code == 404
    assert ada.post(f"letters/{dead[0]['id']}/retry").json() == {"due": 1}
    assert ada.post("letters/retry").json() == {"due": 0}
    assert ada.get("letters", state="dead").json()["items"] == []
    entries = ada.get("audit", action="retry_letters").json()["items"]
    assert [(entry["user"]["name"], entry["target"]) for entry in entries] == [("Ada", dead[0]["id"])]
    assert ada.get("audit", before=entries[0]["at"], action="retry_letters").json()["items"] == []


def test_characters_that_no_database_takes_are_a_mistake_of_the_caller(ada: AgentPage) -> None:
    """PostgreSQL refuses NUL, SQLite keeps it; neither is an outage."""
    answers = [
        ada.get("conversations", q="a\0b"),
        ada.post("canned", title="a\0b", text="c"),
        ada.post("users", email="new@example.com", name="a\0b"),
    ]

    assert {answer.status_code for answer in answers} <= {200, 201, 422}


def test_desk_sees_what_visitors_are_told_and_by_what_hours(serve: Serve, folder: Path) -> None:
    """The clock stands at Friday, 15 January 2027, 08:00 UTC."""
    hours = {
        "timezone": "Europe/Berlin",
        "weekly": {"mon": ["09:00-17:00"], "fri": ["10:00-16:00"]},
        "holidays": [{"date": "2027-01-18", "name": "Founders' Day", "hours": []}],
        "away_text": "We are out.",
    }
    found = page(serve(hours=hours), "ada").get("now").json()

    assert found["state"] == "closed"
    assert found["opens_at"] == "2027-01-15T10:00:00+01:00"
    assert found["week"] == ["09:00-17:00", "", "", "", "10:00-16:00", "", ""]
    assert found["holidays"] == [{"date": "2027-01-18", "hours": ""}]
    assert "We are out." in found["told"]
    assert found["online"] == []
