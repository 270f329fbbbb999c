"""The published description is complete, and the application keeps to it whatever it is sent."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection
from starlette.testclient import TestClient

from api.app import create_app
from handrail.settings import Storage
from tests.api.described import whole_app, whole_description
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.api.two_sides import PASSWORD, add_people

FOLDER = tempfile.TemporaryDirectory(prefix="handrail-openapi-")
APP = create_app(
    settings_in(Path(FOLDER.name), limits={"handoff_per_hour": 0}, server={"max_body_bytes": 10_000_000}),
    ScriptedAssistant(),
)
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP, config=SchemathesisConfig())


@SCHEMA.parametrize()
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_application_keeps_to_its_description(case: schemathesis.Case[Any]) -> None:
    # Length is measured after cleaning, so a text somewhat longer than published may rightly be taken.
    lenient: list[Any] = [negative_data_rejection] if _longer_than_published(case.body) else []
    case.call_and_validate(excluded_checks=lenient)


def test_every_operation_is_described_and_has_an_id() -> None:
    operations = list(_operations(APP.openapi()))

    assert {operation["operationId"] for operation in operations} == {
        "ask",
        "chatStream",
        "resumeStream",
        "stopTurn",
        "requestPerson",
        "feedback",
        "visitor",
        "pageImage",
        "widgetConfig",
        "health",
        "ready",
    }
    for operation in operations:
        assert operation["summary"]
        assert operation["description"]


def test_every_error_response_is_declared_with_an_example() -> None:
    ask = APP.openapi()["paths"]["/ask"]["post"]["responses"]

    for status in ("409", "413", "415", "422", "429", "500", "503"):
        example = ask[status]["content"]["application/json"]["example"]
        assert example["error"]["code"]
        assert example["request_id"]
    for status in ("429", "503"):
        assert "Retry-After" in ask[status]["headers"]


def test_every_field_of_a_question_and_its_answer_is_described() -> None:
    schemas = APP.openapi()["components"]["schemas"]

    undescribed = [
        f"{name}.{field}"
        for name in ("AskRequest", "HandoffRequest", "AskResponse", "WidgetConfig")
        for field, shape in schemas[name]["properties"].items()
        if not ({"description", "examples", "$ref", "items"} & shape.keys())
    ]

    assert undescribed == []


def test_published_length_is_the_one_of_this_installation(tmp_path: Path) -> None:
    app = create_app(settings_in(tmp_path, server={"max_question_chars": 500}), ScriptedAssistant())

    question = app.openapi()["components"]["schemas"]["AskRequest"]["properties"]["question"]

    assert question["maxLength"] == 500


def _longer_than_published(body: object) -> bool:
    question = body.get("question") if isinstance(body, dict) else None
    return isinstance(question, str) and len(question) > 4000


def _operations(description: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in description["paths"].values() for operation in path.values()]


def test_every_number_that_is_sent_has_a_least_and_a_largest_value() -> None:
    described = whole_description(whole_app(Path(FOLDER.name)))
    unbounded: list[str] = []
    seen = 0
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            sent = [(parameter["name"], parameter["schema"]) for parameter in operation.get("parameters", [])]
            content = operation.get("requestBody", {}).get("content", {})
            sent += [("body", media["schema"]) for media in content.values()]
            for name, shape in sent:
                for place, number in _numbers(shape, described["components"]["schemas"], name):
                    seen += 1
                    least = {"minimum", "exclusiveMinimum"} & number.keys()
                    largest = {"maximum", "exclusiveMaximum"} & number.keys()
                    held = all(abs(number[bound]) < 2**53 for bound in least | largest)
                    if not (least and largest and held):
                        unbounded.append(f"{method} {path}: {place}")

    assert seen >= 10
    assert unbounded == []


@pytest.mark.parametrize("number", ["-1", "2000000001", "9223372036854775808", str(10**30), "1" * 400])
def test_numbers_that_no_database_holds_are_refused(tmp_path: Path, number: str) -> None:
    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant())) as client:
        headers = {"Authorization": f"Bearer {client.post('/visitor', json={}).json()['token']}"}
        client.post("/ask", json={"question": "How?", "conversation_id": "c-1"}, headers=headers)
        read = client.get(f"/conversations/c-1?after={number}", headers=headers).status_code
        assert read == 422  # of what follows, a stream would not end
        followed = client.get(f"/conversations/c-1/events?after={number}", headers=headers).status_code
        sent = client.post(
            "/conversations/c-1/read", content=f'{{"seq": {number}}}', headers={**headers, **JSON}
        ).status_code
        known = client.post(
            "/ask", content=f'{{"question": "How?", "context": {{"age": {number}, "x": NaN}}}}', headers=JSON
        ).status_code

    assert [followed, sent] == [422] * 2
    assert known == 200


@pytest.mark.parametrize("number", ["2000000001", "9" * 20])
def test_an_event_number_that_is_none_of_ours_begins_at_the_beginning(tmp_path: Path, number: str) -> None:
    turn = "0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"
    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant())) as client:
        client.post("/ask", json={"question": "How?", "turn_id": turn})
        told = client.get(f"/chat/stream/{turn}", headers={"Last-Event-ID": number})

    assert told.status_code == 200
    assert "data-outcome" in told.text


JSON = {"Content-Type": "application/json"}


def test_numbers_out_of_range_are_refused_by_name_wherever_one_is_sent(tmp_path: Path) -> None:
    """To every operation, published or not, each number it takes: in its query, its path and the top of its body."""
    described = whole_description(whole_app(Path(FOLDER.name)))
    sent = []
    with TestClient(create_app(settings_in(tmp_path), ScriptedAssistant()), raise_server_exceptions=False) as client:
        headers = _visitor_and_admin(client, tmp_path)
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                for where, name in _places_of_numbers(operation, described["components"]["schemas"]):
                    for number in (2**63, -(2**63) - 1, 10**30):
                        place = re.sub(r"\{\w+\}", "c-1", path)
                        query, body = ({name: number}, None) if where == "query" else (None, {name: number})
                        answer = client.request(method, place, headers=headers, params=query, json=body)
                        fields = [one["field"].split(".")[-1] for one in answer.json()["error"].get("details", [])]
                        sent.append((f"{method} {path} {name}", answer.status_code, name in fields))

    assert len({place for place, *_ in sent}) >= 10
    assert [one for one in sent if one[1:] != (422, True)] == []


def _visitor_and_admin(client: TestClient, folder: Path) -> dict[str, str]:
    """Headers of somebody who is both, with a conversation of his own; nothing is refused for want of a right."""
    asyncio.run(add_people(Storage(data_dir=folder), "ada", role="admin"))
    token = client.post("/visitor", json={}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert client.post("/ask", json={"question": "How?", "conversation_id": "c-1"}, headers=headers).is_success
    signed = client.post("/desk/api/sign-in", json={"email": "ada@example.com", "password": PASSWORD})
    return headers | {"X-CSRF-Token": signed.json()["csrf"]}


def _places_of_numbers(operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for parameter in operation.get("parameters", []):
        if any(_numbers(parameter["schema"], schemas, "")):
            yield parameter["in"], parameter["name"]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        body = media["schema"]
        if "$ref" in body:
            body = schemas[body["$ref"].rpartition("/")[2]]
        for name, shape in body["properties"].items():
            if any(_numbers(shape, schemas, "")):
                yield "body", name


def _numbers(shape: dict[str, Any], schemas: dict[str, Any], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every number in what may be sent, with its place."""
    if "$ref" in shape:
        shape = schemas[shape["$ref"].rpartition("/")[2]]
    if shape.get("type") in ("integer", "number"):
        yield place, shape
    for kind in ("anyOf", "allOf", "oneOf"):
        for part in shape.get(kind, []):
            yield from _numbers(part, schemas, place)
    for name, part in shape.get("properties", {}).items():
        yield from _numbers(part, schemas, f"{place}.{name}")
    if isinstance(shape.get("items"), dict):
        yield from _numbers(shape["items"], schemas, f"{place}[]")
