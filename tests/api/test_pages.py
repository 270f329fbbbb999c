"""Pictures of pages: for the visitor whose answer cites them, and for agents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from handrail.turn import outcome
from handrail.types import Citation, PageImage, Place, Verdict
from tests.api.scripted import PASSAGE, ScriptedAssistant

NAME, OTHER = f"{'a1' * 10}-3", f"{'b2' * 10}-1"
PICTURE = b"RIFF....WEBP"


@pytest.fixture
def assistant() -> ScriptedAssistant:
    place = Place(3, (0.1, 0.2, 0.9, 0.4), PageImage(NAME, 1200, 1698))
    citation = Citation(1, replace(PASSAGE, places=(place,)), 0.93, "supported")
    found = ScriptedAssistant(outcome.answered("Open it [1].", Verdict.FULLY, (citation,), 0.93))
    found.pictures = {(PASSAGE.id, NAME): PICTURE, (PASSAGE.id, OTHER): PICTURE}
    return found


def visitor(client: TestClient) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.post('/visitor', json={}).json()['token']}"}


def asked(client: TestClient, headers: dict[str, str]) -> dict[str, Any]:
    body = {"question": "How?", "turn_id": str(uuid4()), "conversation_id": uuid4().hex}
    answer: dict[str, Any] = client.post("/ask", json=body, headers=headers).json()
    return answer


def page(client: TestClient, turn_id: str, headers: dict[str, str], name: str = NAME) -> Any:
    return client.get(f"/pages/{name}?turn_id={turn_id}", headers=headers)


def test_a_visitor_sees_the_page_that_an_answer_cites(client: TestClient) -> None:
    headers = visitor(client)
    answer = asked(client, headers)
    (place,) = answer["citations"][0]["places"]

    shown = page(client, answer["turn_id"], headers, place["image"]["name"])

    assert place["image"] == {"name": NAME, "width": 1200, "height": 1698}
    assert (shown.status_code, shown.content) == (200, PICTURE)
    assert shown.headers["content-type"] == "image/webp"
    assert "private" in shown.headers["cache-control"]


def test_nobody_else_does(client: TestClient) -> None:
    answer = asked(client, visitor(client))

    statuses = [page(client, answer["turn_id"], headers).status_code for headers in (visitor(client), {})]

    assert statuses == [404, 404]


def test_no_page_is_given_that_the_answer_does_not_cite(client: TestClient) -> None:
    headers = visitor(client)
    answer = asked(client, headers)

    assert page(client, answer["turn_id"], headers, OTHER).status_code == 404
    assert page(client, str(uuid4()), headers).status_code == 404


def test_none_is_given_once_its_passage_is_not_public_any_more(
    client: TestClient, assistant: ScriptedAssistant
) -> None:
    headers = visitor(client)
    answer = asked(client, headers)
    assistant.pictures.clear()

    assert page(client, answer["turn_id"], headers).status_code == 404


@pytest.mark.parametrize("name", ["..%2F..%2Fhandrail.sqlite", "a1-3", f"{'a1' * 10}-0", f"{'A1' * 10}-1"])
def test_a_name_is_no_path(client: TestClient, name: str) -> None:
    headers = visitor(client)
    turn_id = asked(client, headers)["turn_id"]

    assert page(client, turn_id, headers, name).status_code in (404, 422)
