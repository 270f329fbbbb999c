"""Conversations that the assistant holds and a person should look at, and how an agent steps in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from handrail.records.database import open_database
from handrail.turn import outcome
from handrail.turn.wording import load_wording
from handrail.types import Classification, Label, RefusalReason
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.test_desk_learning import NOW, people, sign_in
from tests.clock import Clock
from tests.desk.outbox.receivers import Got, Receiver, http_receiver
from tests.records.talks import store

pytestmark = pytest.mark.usefixtures("each_database")

DESK = "/desk/api/conversations"


@pytest.fixture
def assistant() -> ScriptedAssistant:
    return ScriptedAssistant()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with http_receiver() as running:
        yield running


@pytest.fixture
def client(tmp_path: Path, assistant: ScriptedAssistant, receiver: Receiver) -> Iterator[TestClient]:
    hook = {"webhook_url": f"{receiver.url}/hook", "webhook_secret": "a secret of the operator", "poll_s": 0.05}
    settings = settings_in(tmp_path, alerts=hook)

    async def fill() -> None:
        database = await open_database(settings.storage)
        await store(database, *people())
        await database.close()

    asyncio.run(fill())
    with TestClient(create_app(settings, assistant, Clock(NOW))) as running:
        yield sign_in(running, "agent")


def test_an_agent_steps_into_a_conversation_that_is_worth_a_look(
    client: TestClient, assistant: ScriptedAssistant
) -> None:
    visitor = {"Authorization": f"Bearer {client.post('/visitor', json={}).json()['token']}"}
    client.post("/ask", json={"question": "How do I begin?", "conversation_id": "c-1"}, headers=visitor)
    assistant.result = outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, load_wording("Tillwick"), 0.1)
    for question in ("Where is the safe?", "Which safe?"):
        assert client.get(DESK, params={"worth": True}).json()["items"] == []
        client.post("/ask", json={"question": question, "conversation_id": "c-2"}, headers=visitor)
    worth = client.get(DESK, params={"worth": True}).json()
    assert ([item["id"] for item in worth["items"]], worth["counts"]["worth"]) == (["c-2"], 1)

    item = client.get(f"{DESK}/c-2").json()["conversation"]
    taken = client.post(f"{DESK}/c-2/take", json={"version": item["version"]}).json()
    assert (taken["state"], taken["owner"]["id"]) == ("person", "agent")
    client.post(f"{DESK}/c-2/reply", json={"id": str(uuid4()), "text": "Hi, it's me."})

    first, second = (
        client.post("/ask", json={"question": said, "conversation_id": "c-2"}, headers=visitor).json()
        for said in ("And now?", "Hello?")
    )
    assert (first["routing"], first["answer"]) == ("handed_off", "agent has taken over this conversation.")
    assert second["answer"] != first["answer"], "it is said once"


def test_what_is_pressing_is_alerted_once_and_leads_the_list(
    client: TestClient, assistant: ScriptedAssistant, receiver: Receiver
) -> None:
    arrived = threading.Semaphore(0)

    def answer(got: Got) -> tuple[int, object]:
        arrived.release()
        return 200, {}

    receiver.answers = answer
    for conversation, question, label, rule in (
        ("c-1", "They took my money", Label.HIGH_STAKES, None),
        ("c-1", "Where did it go?", Label.HIGH_STAKES, None),
        ("c-2", "I can't go on", Label.HIGH_STAKES, "crisis"),
        ("c-3", "How do I begin?", Label.ANSWERABLE, None),
    ):
        assistant.taken_for = Classification(label, 1.0, "local", rule=rule)
        client.post("/ask", json={"question": question, "conversation_id": conversation})

    assert arrived.acquire(timeout=10)
    assert arrived.acquire(timeout=10)
    told = [got.json["detail"] for got in receiver.got]
    assert [(one["conversation_id"], one["reason"], one["priority"]) for one in told] == [
        ("c-1", "high_stakes", "high"),
        ("c-2", "crisis", "urgent"),
    ]
    listed = client.get(DESK, params={"worth": True}).json()["items"]
    assert [item["id"] for item in listed] == ["c-2", "c-1"]
    one = client.get(f"{DESK}/c-1").json()
    assert one["conversation"]["subject"] == "They took my money"
    assert one["conversation"]["concern_turn_id"] == one["turns"][0]["turn_id"]


def test_what_an_agent_has_dealt_with_is_no_concern_any_more(client: TestClient, assistant: ScriptedAssistant) -> None:
    assistant.taken_for = Classification(Label.HIGH_STAKES, 1.0, "local")
    client.post("/ask", json={"question": "They took my money", "conversation_id": "c-1"})
    for action in ("take", "hand-back"):
        version = client.get(f"{DESK}/c-1").json()["conversation"]["version"]
        assert client.post(f"{DESK}/c-1/{action}", json={"version": version}).status_code == 200

    assert client.get(DESK, params={"worth": True}).json()["items"] == []
