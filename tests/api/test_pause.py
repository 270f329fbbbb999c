"""The assistant paused for all visitors, from the desk, and what goes on meanwhile."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from api.app import create_app
from handrail.cli.desk import with_database
from handrail.errors import ModelUnavailable
from handrail.records.pauses import Pauses
from handrail.types.usage import Usage
from tests.api.conftest import Serve
from tests.api.process import process
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.test_api_keys import bearer, key_in
from tests.api.test_desk import AgentPage, ticket
from tests.api.test_desk import ada as ada
from tests.api.test_desk import bob as bob
from tests.api.test_desk import client as client
from tests.api.test_desk import folder as folder
from tests.api.test_desk import visitor as visitor
from tests.api.test_metrics import KEY, samples

QUESTION = {"question": "How do I connect a domain?"}

both = pytest.mark.usefixtures("each_database")


def pause_in(folder: Path) -> None:
    with_database(settings_in(folder), lambda database: Pauses(database, database.tenant).begin(1.0))


def resume_in(folder: Path) -> None:
    with_database(settings_in(folder), lambda database: Pauses(database, database.tenant).end())


def told(client: TestClient, **headers: str) -> tuple[int, str, str, str]:
    answer = client.post("/ask", json=QUESTION, headers=headers)
    found = answer.json()
    return answer.status_code, found["routing"], found["refusal_reason"], found["escalation"]["offer"]


PAUSED = (200, "unavailable", "paused", "button")


@both
def test_while_it_is_paused_no_question_reaches_the_assistant_and_people_go_on(
    client: TestClient, ada: AgentPage, visitor: dict[str, str], assistant: ScriptedAssistant
) -> None:
    ticket(client, visitor, "c-1")
    asked = len(assistant.asked)

    assert ada.post("pause").json()["paused"]["by"] == "Ada"

    assert told(client) == PAUSED
    streamed = client.post("/chat/stream", json=QUESTION).text
    assert '"refusal_reason":"paused"' in streamed.replace(" ", "") and "[DONE]" in streamed
    assert (len(assistant.asked), len(assistant.foreseen)) == (asked, asked)
    said = client.post("/ask", json={"question": "Hello?", "conversation_id": "c-1"}, headers=visitor).json()
    assert said["routing"] == "handed_off"
    assert ticket(client, visitor, "c-2")
    read = client.get("/conversations/c-2", headers=visitor).json()["messages"]
    assert [one["author"] for one in read[:2]] == ["visitor", "assistant"]
    assert client.get("/health").json()["status"] == "ok"
    ready = client.get("/ready")
    assert (ready.status_code, ready.json()["ready"], ready.json()["status"]) == (200, True, "paused")

    assert ada.post("resume").json() == {"paused": None}

    assert client.post("/ask", json=QUESTION).json()["routing"] == "answered"
    assert len(assistant.asked) == asked + 1
    assert client.get("/ready").json()["status"] == "ok"


@both
def test_whatever_shares_the_records_is_paused_too_and_stays_so_after_a_restart(
    client: TestClient, serve: Serve, ada: AgentPage, assistant: ScriptedAssistant
) -> None:
    other = serve()

    ada.post("pause")

    assert told(other) == PAUSED
    assert told(serve()) == PAUSED
    assert assistant.asked == []


def test_another_process_is_paused_at_once(tmp_path: Path) -> None:
    with process(tmp_path) as (url, _):
        before = httpx.post(f"{url}/ask", json=QUESTION, timeout=60).json()["routing"]
        pause_in(tmp_path)
        after = httpx.post(f"{url}/ask", json=QUESTION, timeout=60).json()["refusal_reason"]

    assert (before, after) == ("answered", "paused")


@both
def test_leads_and_administrators_pause_and_agents_only_see_it(ada: AgentPage, bob: AgentPage) -> None:
    assert (bob.post("pause").status_code, bob.post("resume").status_code) == (403, 403)
    assert bob.get("pause").json() == {"paused": None}
    ada.post("pause")
    assert bob.get("pause").json()["paused"]["by"] == "Ada"
    assert ada._send("PUT", f"users/{bob.id}", {"role": "lead"}).status_code == 200
    assert bob.post("resume").json() == {"paused": None}


@both
def test_who_paused_and_who_resumed_is_in_the_audit_log_once(ada: AgentPage) -> None:
    first = ada.post("pause").json()
    assert ada.post("pause").json() == first
    ada.post("resume")
    ada.post("resume")

    entries = [(one["action"], one["user"]["name"]) for one in ada.get("audit").json()["items"]]
    assert entries.count(("pause_assistant", "Ada")) == entries.count(("resume_assistant", "Ada")) == 1


def test_a_paused_question_costs_nothing_and_needs_no_budget(
    serve: Serve, tmp_path: Path, assistant: ScriptedAssistant
) -> None:
    assistant.uses = Usage(600, 300)
    limits = {"enabled": True, "visitor_tokens_per_day": 1000, "visitor_per_day": 2, "demo_global_per_day": 0}
    client = serve(limits=limits, llm={"turn_max_tokens": 1000, "turn_max_usd": 0.4})
    pause_in(tmp_path)

    assert [told(client) for _ in range(3)] == [PAUSED] * 3
    resume_in(tmp_path)
    answered = client.post("/ask", json=QUESTION)
    used_up = client.post("/ask", json=QUESTION)
    pause_in(tmp_path)

    assert (answered.json()["routing"], used_up.status_code) == ("answered", 429)
    assert told(client) == PAUSED


def test_questions_to_a_paused_assistant_are_bounded_like_messages(serve: Serve, tmp_path: Path) -> None:
    client = serve(limits={"enabled": True}, desk={"messages_per_minute": 2})
    pause_in(tmp_path)

    assert [client.post("/ask", json=QUESTION).status_code for _ in range(3)] == [200, 200, 429]


def test_programs_are_told_the_same_however_many_they_speak_for(serve: Serve, tmp_path: Path) -> None:
    client = serve(limits={"enabled": True}, desk={"messages_per_minute": 2}, server={"api_keys": "allowed"})
    key = key_in(tmp_path, per_day=1)
    pause_in(tmp_path)

    assert [told(client, **bearer(key)) for _ in range(4)] == [PAUSED] * 4


def test_an_assistant_that_has_not_started_is_paused_all_the_same(tmp_path: Path) -> None:
    def missing() -> None:
        raise ModelUnavailable("run handrail models fetch")

    pause_in(tmp_path)
    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant(starts=missing))) as client:
        answered, ready = told(client), client.get("/ready")

    assert answered == PAUSED
    assert (ready.status_code, ready.json()["status"], ready.json()["paused"]) == (503, "not_ready", True)


def test_while_the_records_cannot_be_read_it_stays_paused(serve: Serve, tmp_path: Path) -> None:
    client = serve()
    pause_in(tmp_path)
    assert told(client) == PAUSED

    async def drop(database: Any) -> None:
        async with database.transaction() as session:
            await session.execute(text("DROP TABLE pauses"))

    with_database(settings_in(tmp_path), drop)

    assert told(client) == PAUSED


def test_one_company_paused_leaves_the_others_answering(serve: Serve, tmp_path: Path) -> None:
    client = serve()
    with_database(settings_in(tmp_path), lambda database: Pauses(database, "acme").begin(1.0))

    assert client.post("/ask", json=QUESTION).json()["routing"] == "answered"


def test_metrics_and_the_log_tell_of_it_once(serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = serve(observe={"metrics_key": KEY})

    def scraped() -> float:
        found = samples(client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"}).text)
        return found["handrail_paused", ""]

    with caplog.at_level(logging.INFO, "handrail"):
        before = scraped()
        pause_in(tmp_path)
        for _ in range(3):
            told(client)
        during = scraped()

    assert (before, during) == (0, 1)
    assert len([line for line in caplog.messages if "paused" in line]) == 1
