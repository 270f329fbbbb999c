"""Conversations that the assistant holds and a person should look at, and how an agent steps in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from handrail.records.database import open_database
from handrail.turn import outcome
from handrail.turn.wording import load_wording
from handrail.types import RefusalReason
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.test_desk_learning import NOW, people, sign_in
from tests.clock import Clock
from tests.records.talks import store

pytestmark = pytest.mark.usefixtures("each_database")

DESK = "/desk/api/conversations"


@pytest.fixture
def assistant() -> ScriptedAssistant:
    return ScriptedAssistant()


@pytest.fixture
def client(tmp_path: Path, assistant: ScriptedAssistant) -> Iterator[TestClient]:
    async def fill() -> None:
        database = await open_database(settings_in(tmp_path).storage)
        await store(database, *people())
        await database.close()

    asyncio.run(fill())
    with TestClient(create_app(settings_in(tmp_path), assistant, Clock(NOW))) as running:
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
