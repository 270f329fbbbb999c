"""Grades over HTTP: the sample at the desk, the judge that works beside, and the alert of a fall."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from handrail.records.database import open_database
from handrail.records.desk_tables import MessageRow
from handrail.records.learning_tables import GradingRow
from handrail.settings.tenants import OWN as TENANT
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.test_desk_learning import NOW, people, sign_in
from tests.clock import Clock
from tests.desk.outbox.receivers import http_receiver
from tests.records.talks import evidence, store, talk
from tests.scripted_openai import Says, ScriptedOpenAI

pytestmark = pytest.mark.usefixtures("each_database")

YESTERDAY = NOW - 86_400
DAY = "2027-01-14"
PASSAGE = {"index": 1, "id": "domains:connect/2", "title": "Connect a domain", "excerpt": "Open Settings.", "url": ""}
CLAIM = {"text": "Open the settings [1].", "citations": [1], "support": "supported"}


def said(seq: int, author: str, text: str, turn: str) -> MessageRow:
    return MessageRow(
        tenant=TENANT, conversation_id="a", seq=seq, id=f"m{seq}", author=author, text=text, kind="message",
        turn_id=turn, meta={}, at=YESTERDAY + seq,
    )  # fmt: skip


def rows(count: int = 3) -> list[object]:
    answers = [
        evidence("a", YESTERDAY + 2 * n + 2, turn_id=f"t-{n}", question=f"Question {n}?", passages=[PASSAGE],
                 claims=[CLAIM])
        for n in range(count)
    ]  # fmt: skip
    talks = [said(2 * n + 1 + i, author, f"{author} {n}", f"t-{n}") for n in range(count)
             for i, author in enumerate(("visitor", "assistant"))]  # fmt: skip
    refused = evidence("a", YESTERDAY, "cannot_answer", turn_id="refused")
    return [talk("a", YESTERDAY), *answers, *talks, refused, *people()]


def past(ago: range, grade: int) -> list[object]:
    """Ten grades on each of the days before yesterday."""
    from datetime import date, timedelta

    return [
        GradingRow(
            tenant=TENANT, sample="production", item_id=f"{days}-{n}",
            day=(date.fromisoformat(DAY) - timedelta(days)).isoformat(), by="judge", grade=grade - n % 2, who="wise",
            kb="sample", at=NOW,
        )
        for days in ago
        for n in range(10)
    ]  # fmt: skip


Open = Callable[..., TestClient]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Open]:
    """The application over the given rows."""
    running: list[TestClient] = []

    def start(*more: object, **sections: dict[str, Any]) -> TestClient:
        settings = settings_in(tmp_path, **sections)

        async def fill() -> None:
            database = await open_database(settings.storage)
            await store(database, *rows(), *more)
            await database.close()

        asyncio.run(fill())
        client = TestClient(create_app(settings, ScriptedAssistant(), Clock(NOW)))
        running.append(client)
        return client.__enter__()

    yield start
    for client in running:
        client.__exit__(None, None, None)


def patiently(look: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def test_the_sample_shows_what_was_asked_and_answered_and_takes_a_grade(desk: Open) -> None:
    client = desk()
    assert client.get("/desk/api/grades").status_code == 401
    sign_in(client, "agent")

    found = client.get("/desk/api/grades").json()
    assert (found["day"], found["fall"]) == (DAY, None)
    second = next(item for item in found["items"] if item["turn_id"] == "t-1")
    assert len(found["items"]) == 3
    assert (second["question"], second["answer"], second["before"]) == ("Question 1?", "assistant 1", ["visitor 0"])
    assert second["passages"][0]["title"] == "Connect a domain"

    for grade in (5, 2):
        assert client.put("/desk/api/grades/t-1", json={"grade": grade}).status_code == 204
    again = client.get("/desk/api/grades", params={"day": DAY}).json()["items"]
    assert [item["grades"]["person"]["grade"] for item in again if item["grades"]] == [2]
    report = client.get("/desk/api/reports/grades").json()
    assert (report["n"], report["figures"]["by_people"], report["rows"][0]["mean"]) == (1, 1, 2.0)


@pytest.mark.parametrize(
    ("turn", "grade", "status"), [("t-1", 6, 422), ("t-1", 0, 422), ("nothing", 3, 404), ("refused", 3, 404)]
)
def test_what_cannot_be_graded_is_refused(desk: Open, turn: str, grade: int, status: int) -> None:
    assert sign_in(desk()).put(f"/desk/api/grades/{turn}", json={"grade": grade}).status_code == status


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "yesterday", "2027-02-30", "1" * 5000])
def test_a_day_that_cannot_be_looked_at_is_refused(desk: Open, day: str) -> None:
    client = desk()
    sign_in(client)

    answer = client.get("/desk/api/grades", params={"day": day})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "validation")


def test_a_wrong_answer_becomes_a_proposed_case(desk: Open) -> None:
    client = sign_in(desk(), "agent")
    body = {"format": "refusal", "turn_id": "t-0", "should_refuse": True, "status": "proposed"}

    assert client.post("/desk/api/cases", json=body).json()["status"] == "proposed"
    items = client.get("/desk/api/grades").json()["items"]
    assert [item["turn_id"] for item in items if item["case"]] == ["t-0"]


def test_nothing_is_drawn_where_drift_is_turned_off(desk: Open) -> None:
    assert sign_in(desk(drift={"daily": 0})).get("/desk/api/grades").json()["items"] == []


def test_a_judge_grades_yesterday_by_itself_and_a_fall_is_announced_once(
    desk: Open, llm_provider: ScriptedOpenAI
) -> None:
    llm_provider.script(Says({"unsupported": [1], "faithfulness": 1, "relevancy": 3}))
    with http_receiver() as receiver:
        alerts = {"webhook_url": f"{receiver.url}/hook", "webhook_secret": "a secret of the operator", "poll_s": 0.05}
        judge = {"base_url": llm_provider.url, "model": "wise"}
        client = sign_in(desk(*past(range(7, 35), 5), *past(range(1, 7), 3), judge=judge, alerts=alerts))

        def graded() -> list[int]:
            items = client.get("/desk/api/grades").json()["items"]
            return [item["grades"]["judge"]["grade"] for item in items if item["grades"]]

        assert patiently(lambda: graded() == [1, 1, 1])
        assert patiently(lambda: receiver.got)
        assert len(llm_provider.requests) == 3
        (got,) = receiver.got
        assert (got.json["event"], got.json["detail"]["n"]) == ("answers.fell", 63)
        found = client.get("/desk/api/grades").json()["fall"]
        assert found["says"] in got.json["text"] and found["high"] < 0
        assert found["says"] in client.get("/desk/api/reports/grades").json()["notes"]
