"""Our server in the System One protocol: the conformance suite, and what our own heads answer and refuse."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from jevcompat.runner import run
from jevcompat.spec import REQUIREMENTS
from pydantic_ai.models.decision import DecisionRequest
from pydantic_ai.models.system_one import SystemOneModel
from pydantic_ai.providers.system_one import SystemOneProvider

from api.decisions import create_app
from handrail.decide.calibration import Maps
from handrail.decide.local import NAME, LocalDecisionModel
from handrail.decide.questions import load_decisions
from handrail.errors import RetryableError
from handrail.settings import Server
from tests.decide.system_one import Everything, serving

KEY = "a-key-of-sixteen-letters"
DECISIONS = load_decisions()


@pytest.mark.parametrize("key", [None, KEY])
def test_the_server_conforms(key: str | None) -> None:
    with serving(create_app(Everything(), key, Server())) as url:
        report = run(url, key=key, timeout=30.0)

    found = {result.id: (result.status, [finding.message for finding in result.findings]) for result in report.results}
    assert report.verdict == "conformant", found
    # The two that say how a key is read exclude each other; every other requirement was tested and holds.
    without = {"auth.bearer", "auth.missing", "auth.invalid"} if key is None else {"auth.ignored-when-off"}
    assert {name for name, (status, _) in found.items() if status != "pass"} == without
    assert len(found) == len(REQUIREMENTS)


async def supported(state: Mapping[str, str]) -> dict[str, float]:
    return {"yes": 0.9, "no": 0.1} if "renew" in state["passage"] else {"yes": 0.2, "no": 0.8}


async def route(state: Mapping[str, str]) -> dict[str, float]:
    if state["message"] == "busy":
        raise RetryableError("the local models are busy. Try again in a moment")
    return {"answerable": 0.7, "high_stakes": 0.3}


OURS = LocalDecisionModel(DECISIONS, {"supported": supported, "route": route}, Maps())
STATE = {"claim": "It renews.", "passage": "Plans renew monthly.", "message": "hi"}
SUPPORTED = {"type": "noul", "instructions": "supported"}


def post(body: Mapping[str, Any]) -> httpx.Response:
    with serving(create_app(OURS, None, Server())) as url:
        return httpx.post(f"{url}/v1/systemone", json={"model": NAME, "state": STATE, **body})


def test_our_heads_answer_what_they_were_trained_for() -> None:
    choice = {"type": "choice", "instructions": "route", "criteria": dict.fromkeys(DECISIONS["route"].options)}

    reply = post({"questions": {"any name": SUPPORTED, "r": choice}})

    assert reply.status_code == 200
    answers = reply.json()["answers"]
    assert answers["any name"] == {"type": "noul", "noul": pytest.approx(0.9)}
    assert (answers["r"]["choice"], answers["r"]["probabilities"]["none_of_these"]) == ("answerable", 0.0)


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        ({"questions": {"q": {"type": "noul", "instructions": "Is it sunny?"}}}, 422, ["body", "questions", "q"]),
        ({"questions": {"q": {"type": "noul", "instructions": "crisis"}}}, 422, ["body", "questions", "q"]),
        ({"state": {"claim": "It renews."}, "questions": {"q": SUPPORTED}}, 422, ["body", "state"]),
        ({"state": "It renews.", "questions": {"q": SUPPORTED}}, 422, ["body", "state"]),
        ({"state": None, "questions": {"q": SUPPORTED}}, 422, ["body", "state"]),
    ],
)
def test_anything_else_is_refused_with_the_place_it_is_in(
    body: Mapping[str, Any], status: int, where: list[str]
) -> None:
    reply = post(body)

    assert reply.status_code == status
    assert reply.json()["detail"][0]["loc"][: len(where)] == where


def test_a_question_without_a_head_is_said_to_be_untrained() -> None:
    (wrong,) = post({"questions": {"q": {"type": "noul", "instructions": "crisis"}}}).json()["detail"]

    assert wrong["type"] == "not_trained"
    assert "route, supported" in wrong["msg"]


def test_busy_models_are_asked_again_later() -> None:
    choice = {"type": "choice", "instructions": "route", "criteria": dict.fromkeys(DECISIONS["route"].options)}

    reply = post({"state": "busy", "questions": {"r": choice}})

    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "2")
    assert reply.json()["detail"]["error_type"] == "overloaded_error"


def test_a_client_of_the_protocol_reads_our_answers() -> None:
    async def asked(url: str) -> float:
        async with SystemOneModel(NAME, provider=SystemOneProvider(base_url=url, api_key=KEY)) as model:
            questions = {"supported": DECISIONS["supported"].asked()}
            found = await model.decide(DecisionRequest(state=dict(STATE), questions=questions), {})
            answer = found.answers["supported"]
            assert answer.type == "noul"
            return answer.noul

    with serving(create_app(OURS, KEY, Server())) as url:
        assert asyncio.run(asked(url)) == pytest.approx(0.9)
        listed = httpx.get(f"{url}/v1/models", headers={"Authorization": f"Bearer {KEY}"}).json()

    assert sorted(listed["x_decisions"]) == ["route", "supported"]
    assert listed["x_decisions"]["supported"]["question"]["instructions"] == DECISIONS["supported"].question
