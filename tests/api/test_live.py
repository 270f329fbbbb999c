"""Visitors: their token, their conversations, and who answers in them."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from handrail.accounts.visitor_token import ROTATES_S, VALID_S
from tests.api.conftest import Serve
from tests.api.live import until
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import Clock

pytestmark = pytest.mark.usefixtures("each_database")


def signed_in(client: TestClient) -> dict[str, str]:
    token = client.post("/visitor", json={}).json()["token"]
    return {"Authorization": f"Bearer {token}"}


def ask(client: TestClient, headers: dict[str, str], text: str = "How?", **body: Any) -> Any:
    return client.post("/ask", json={"question": text, "conversation_id": "c-1", **body}, headers=headers)


def test_token_is_renewed_for_the_same_visitor(client: TestClient, clock: Clock) -> None:
    first = client.post("/visitor", json={}).json()
    clock.now += VALID_S + 60
    refused = ask(client, {"Authorization": f"Bearer {first['token']}"})
    second = client.post("/visitor", json={"token": first["token"]}).json()
    clock.now += ROTATES_S + VALID_S + 1
    too_old = client.post("/visitor", json={"token": second["token"]})

    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "token_expired")
    assert second["visitor_id"] == first["visitor_id"]
    assert (too_old.status_code, too_old.json()["error"]["code"]) == (401, "token_invalid")


@pytest.mark.parametrize("token", ["", "x", "a.b", "Basic x", "Bearer", "Bearer a.b.c"])
def test_made_up_tokens_are_refused(client: TestClient, token: str) -> None:
    assert ask(client, {"Authorization": token}).status_code == 401


def test_conversation_is_closed_to_others(client: TestClient) -> None:
    ada, bob = signed_in(client), signed_in(client)
    ask(client, ada)

    assert ask(client, bob).status_code == 404
    assert ask(client, {}).status_code == 404
    assert client.get("/conversations/c-1", headers=bob).status_code == 404
    assert client.get("/conversations/c-1").status_code == 401
    assert client.post("/handoff", json={"conversation_id": "c-1"}, headers=bob).status_code == 404
    assert client.get("/conversations", headers=bob).json() == {"items": []}
    assert [item["id"] for item in client.get("/conversations", headers=ada).json()["items"]] == ["c-1"]


def test_question_and_answer_are_on_record(client: TestClient) -> None:
    ada = signed_in(client)
    ask(client, ada, "My card is 4111 1111 1111 1111")
    messages = client.get("/conversations/c-1", headers=ada).json()["messages"]

    assert [(message["seq"], message["author"]) for message in messages] == [(1, "visitor"), (2, "assistant")]
    assert messages[0]["text"] == "My card is [card number removed]"


def test_who_waits_for_a_person_is_told_in_full_once(client: TestClient, assistant: ScriptedAssistant) -> None:
    ada = signed_in(client)
    ask(client, ada)
    asked = client.post("/handoff", json={"conversation_id": "c-1"}, headers=ada)
    first, second = ask(client, ada, "Hello?").json(), ask(client, ada, "Anyone?").json()

    assert first["routing"] == second["routing"] == "handed_off"
    assert asked.json()["reference"] in first["answer"]
    assert "one working day" in first["answer"]
    assert second["answer"] == "Your message has been added to your request."
    assert len(assistant.asked) == 1
    messages = client.get("/conversations/c-1", headers=ada).json()["messages"]
    assert [message["author"] for message in messages] == ["visitor", "assistant", "system", "visitor", "visitor"]


def test_person_as_the_very_first_thing_makes_a_ticket(client: TestClient) -> None:
    ada = signed_in(client)
    asked = client.post("/handoff", json={"message": "Call me", "email": "ada@example.com"}, headers=ada).json()
    state = client.get(f"/conversations/{asked['conversation_id']}", headers=ada).json()

    assert state["state"]["state"] == "queued"
    assert state["state"]["reference"] == asked["reference"]
    assert state["messages"][0]["text"] == "Call me"


def test_nobody_is_promised_where_hand_off_is_off(serve: Serve, assistant: ScriptedAssistant) -> None:
    client = serve(brand={"person_available": False})
    ada = signed_in(client)
    ask(client, ada)
    asked = client.post("/handoff", json={"conversation_id": "c-1"}, headers=ada)

    assert "Nobody reads" in asked.json()["message"]
    assert ask(client, ada, "And now?").json()["routing"] == "answered"


def test_messages_to_a_person_are_no_questions(serve: Serve) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 1})
    ada = signed_in(client)
    client.post("/handoff", json={"conversation_id": "c-1"}, headers=ada)

    assert [ask(client, ada, f"{n}").status_code for n in range(3)] == [200, 200, 200]


def test_transcript_is_plain_text(client: TestClient) -> None:
    ada = signed_in(client)
    ask(client, ada, "How do I connect a domain?")
    text = client.get("/conversations/c-1/transcript", headers=ada)

    assert text.headers["content-type"].startswith("text/plain")
    assert "You:\n    How do I connect a domain?" in text.text
    assert "Tillwick assistant (AI):\n    Open" in text.text


def test_feedback_is_for_turns_there_were_and_can_be_changed(client: TestClient, assistant: ScriptedAssistant) -> None:
    turn = ask(client, {}, turn_id=str(uuid4())).json()
    body = {"turn_id": turn["turn_id"], "conversation_id": "c-1", "rating": "down", "reason": "wrong"}

    assert client.post("/feedback", json=body).status_code == 201
    assert client.post("/feedback", json={**body, "rating": "up"}).json()["rating"] == "up"
    assert client.post("/feedback", json={**body, "turn_id": str(uuid4())}).status_code == 404
    assert client.post("/feedback", json={**body, "conversation_id": "c-2"}).status_code == 404
    assert client.post("/feedback", json={**body, "reason": "ugly"}).status_code == 422
    assert assistant.found_wrong == [turn["turn_id"]]


@pytest.mark.anyio
async def test_answer_that_ends_after_the_hand_over_reaches_nobody(tmp_path: Any) -> None:
    assistant = ScriptedAssistant()
    assistant.hold = asyncio.Event()
    app = create_app(settings_in(tmp_path), assistant)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://handrail") as client,
    ):
        await until(lambda: assistant.ready)
        asking = asyncio.create_task(client.post("/ask", json={"question": "How?", "conversation_id": "c-1"}))
        await until(lambda: bool(assistant.asked))
        await client.post("/handoff", json={"conversation_id": "c-1"})
        assistant.hold.set()
        late = (await asking).json()
        messages = await app.state.services.desk.conversations.records.messages("c-1")

    assert late["routing"] == "handed_off"
    assert "Settings" not in late["answer"]
    assert assistant.unsaid == [late["turn_id"]]
    assert [message.author for message in messages] == ["visitor", "system"]
