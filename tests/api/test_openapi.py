"""The published description is complete, and the application keeps to it whatever it is sent."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in

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
