"""`POST /v1/systemone` beside the rest of the API: off without a key, and described once it is on."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.api.conftest import Serve
from tests.api.scripted import ScriptedAssistant
from tests.decide.system_one import Everything

KEY = "a-key-of-sixteen-letters"
ASKED = {
    "model": "handrail-local",
    "state": "It rains.",
    "questions": {"wet": {"type": "noul", "instructions": "Is it wet?"}},
}
BEARER = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture
def on(serve: Serve, assistant: ScriptedAssistant) -> TestClient:
    assistant.decides = Everything()
    return serve(decisions={"serve_key": KEY})


def test_it_is_off_without_a_key(client: TestClient) -> None:
    assert client.post("/v1/systemone", json=ASKED).status_code == 404
    assert "/v1/systemone" not in client.get("/openapi.json").json()["paths"]


def test_it_answers_who_has_the_key(on: TestClient) -> None:
    reply = on.post("/v1/systemone", json=ASKED, headers=BEARER)

    assert reply.status_code == 200
    assert 0 <= reply.json()["answers"]["wet"]["noul"] <= 1


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {KEY}"}])
@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/systemone"), ("GET", "/v1/models")])
def test_nobody_else(on: TestClient, headers: dict[str, str], method: str, path: str) -> None:
    reply = on.request(method, path, json=ASKED, headers=headers)

    assert reply.status_code == 401
    assert reply.json()["detail"]["error_type"] == "authentication_error"


def test_while_the_models_load_it_says_when_to_ask_again(on: TestClient, assistant: ScriptedAssistant) -> None:
    assistant.decides = None

    reply = on.post("/v1/systemone", json=ASKED, headers=BEARER)

    assert (reply.status_code, reply.json()["detail"]["error_type"]) == (503, "overloaded_error")
    assert reply.headers["Retry-After"]


def test_it_is_described(on: TestClient) -> None:
    described = on.get("/openapi.json").json()["paths"]["/v1/systemone"]["post"]

    assert (described["operationId"], bool(described["description"])) == ("decide", True)
    assert {"200", "400", "401", "413", "422", "503"} <= described["responses"].keys()
    schema = described["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["model", "state", "questions"]
    assert on.post("/v1/systemone", json={**schema["example"], "model": "other"}, headers=BEARER).status_code == 400
