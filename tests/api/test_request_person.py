"""`POST /handoff`: a person is always within reach, and nothing a visitor sent is lost."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from handrail.records import RecordsUnavailable
from handrail.records.handoffs import HandoffRecords
from tests.api.conftest import Serve
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import Clock


def stored(folder: Path) -> list[dict[str, Any]]:
    with sqlite3.connect(folder / "handrail.sqlite") as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM handoffs ORDER BY created_at, reference")]


def test_works_as_the_very_first_action_with_nothing_in_it(client: TestClient) -> None:
    response = client.post("/handoff", json={})

    assert response.status_code == 201
    assert re.fullmatch(r"HR-[2-9A-HJKMNP-TV-Z]{6}", response.json()["reference"])
    assert response.json()["status"] == "recorded"
    assert "within one working day" in response.json()["message"]


def test_null_and_empty_fields_are_the_same_as_none(client: TestClient, tmp_path: Path) -> None:
    body: dict[str, Any] = {
        "conversation_id": None,
        "turn_id": None,
        "reason": None,
        "email": "",
        "message": "  ",
        "transcript": [],
    }

    response = client.post("/handoff", json=body)

    assert response.status_code == 201
    (row,) = stored(tmp_path)
    assert (row["email"], row["message"]) == (None, None)


def test_same_conversation_keeps_its_reference_and_everything_said(client: TestClient, tmp_path: Path) -> None:
    first = client.post(
        "/handoff", json={"conversation_id": "c-1", "email": "ada@example.com", "message": "Charged twice."}
    )
    second = client.post(
        "/handoff", json={"conversation_id": "c-1", "email": "ada@work.example", "message": "In May, I mean."}
    )

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["reference"] == second.json()["reference"]
    (row,) = stored(tmp_path)
    assert row["email"] == "ada@work.example"
    assert row["earlier_emails"] == '["ada@example.com"]'
    assert row["message"] == "Charged twice.\n\nIn May, I mean."


def test_requests_without_a_conversation_stay_apart(client: TestClient) -> None:
    references = {client.post("/handoff", json={"message": "Help"}).json()["reference"] for _ in range(3)}

    assert len(references) == 3


@pytest.mark.anyio
async def test_pressing_twice_at_once_makes_one_record(tmp_path: Path) -> None:
    app = create_app(settings_in(tmp_path), ScriptedAssistant())
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://handrail") as client,
    ):
        responses = await asyncio.gather(
            *(client.post("/handoff", json={"conversation_id": "c-1", "message": "Help"}) for _ in range(6))
        )

    assert sorted(response.status_code for response in responses) == [200] * 5 + [201]
    assert len({response.json()["reference"] for response in responses}) == 1
    (row,) = stored(tmp_path)
    assert row["message"] == "Help"


def test_secrets_in_free_text_are_not_stored(client: TestClient, tmp_path: Path) -> None:
    body = {
        "email": "ada@example.com",
        "message": "My card 4111 1111 1111 1111 was declined",
        "transcript": [{"author": "visitor", "text": "IBAN DE89 3704 0044 0532 0130 00"}],
    }

    client.post("/handoff", json=body)

    (row,) = stored(tmp_path)
    assert row["message"] == "My card [card number removed] was declined"
    assert "3704" not in row["transcript"]
    assert row["email"] == "ada@example.com"


def test_person_stays_reachable_when_questions_are_used_up(serve: Serve) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 1})
    client.post("/ask", json={"question": "How?"})
    assert client.post("/ask", json={"question": "How?"}).status_code == 429

    assert client.post("/handoff", json={}).status_code == 201


def test_too_many_requests_wait_for_the_next_hour(serve: Serve, clock: Clock) -> None:
    client = serve(limits={"handoff_per_hour": 2})
    clock.now = 1_800_000_000.0 // 3600 * 3600 + 600

    responses = [client.post("/handoff", json={}) for _ in range(3)]
    clock.now += 3000

    assert [response.status_code for response in responses] == [201, 201, 429]
    assert responses[2].headers["Retry-After"] == "3000"
    assert client.post("/handoff", json={}).status_code == 201


def test_no_colleague_is_promised_where_nobody_reads(serve: Serve) -> None:
    client = serve(brand={"person_available": False})

    message = client.post("/handoff", json={}).json()["message"]

    assert "working day" not in message
    assert "please don't wait" in message


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"email": "ada"}, "email"),
        ({"email": "ada@example"}, "email"),
        ({"email": "a b@example.com"}, "email"),
        ({"email": "ada@example.com\n"}, "email"),
        ({"email": "a" * 250 + "@example.com"}, "email"),
        ({"message": "x" * 4001}, "message"),
        ({"reason": "x" * 201}, "reason"),
        ({"conversation_id": "a/b"}, "conversation_id"),
        ({"turn_id": "1"}, "turn_id"),
        ({"transcript": [{"author": "system", "text": "x"}]}, "transcript.0.author"),
        ({"transcript": [{"author": "visitor", "text": "x" * 10_001}]}, "transcript.0.text"),
        ({"transcript": [{"author": "visitor", "text": "x"}] * 101}, "transcript"),
    ],
)
def test_bad_input_is_refused_and_named(client: TestClient, tmp_path: Path, body: dict[str, Any], field: str) -> None:
    response = client.post("/handoff", json=body)

    assert response.status_code == 422
    assert response.json()["error"]["details"][0]["field"] == field
    assert stored(tmp_path) == []


def test_characters_a_database_cannot_hold_are_dropped_not_refused(client: TestClient, tmp_path: Path) -> None:
    response = client.post("/handoff", json={"message": "Help\x00 me\u202e", "transcript": []})

    assert response.status_code == 201
    assert stored(tmp_path)[0]["message"] == "Help me"


def test_lost_database_is_said_so_that_the_visitor_can_send_again(client: TestClient, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        connection.execute("ALTER TABLE handoffs RENAME TO gone")

    response = client.post("/handoff", json={"message": "Help"})

    assert response.status_code == 503
    assert response.json()["error"]["code"] == "records_unavailable"
    assert response.headers["Retry-After"]


def test_answer_is_given_even_when_it_cannot_be_recorded(client: TestClient, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "handrail.sqlite") as connection:
        connection.execute("ALTER TABLE turns RENAME TO gone")

    assert client.post("/ask", json={"question": "How?"}).status_code == 200
    ready = client.get("/ready")
    assert ready.status_code == 200
    assert ready.json()["checks"]["records"] != "ok"


def test_a_request_that_could_not_be_recorded_does_not_count(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    client = serve(limits={"handoff_per_hour": 2})
    recorded = HandoffRecords.save

    async def away(*_: Any) -> None:
        raise RecordsUnavailable("the database doesn't respond")

    monkeypatch.setattr(HandoffRecords, "save", away)
    assert [client.post("/handoff", json={}).status_code for _ in range(5)] == [503] * 5

    monkeypatch.setattr(HandoffRecords, "save", recorded)
    assert [client.post("/handoff", json={}).status_code for _ in range(3)] == [201, 201, 429]
