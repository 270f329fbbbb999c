"""Exchanging visitor tokens: once each, for the process that did it and for all others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from handrail.accounts.rotation import GRACE_S
from handrail.accounts.visitor_token import ROTATES_S, VALID_S
from handrail.records.database import open_database
from handrail.records.visitor_tokens import VisitorTokenRecords
from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import Clock

pytestmark = pytest.mark.usefixtures("each_database")


def begun(client: TestClient) -> str:
    token: str = client.post("/visitor", json={}).json()["token"]
    return token


def exchange(client: TestClient, token: str) -> Any:
    return client.post("/visitor", json={"token": token})


def status(client: TestClient, token: str) -> int:
    return client.get("/conversations", headers={"Authorization": f"Bearer {token}"}).status_code


def test_exchanged_token_is_taken_for_a_minute_and_then_dead(client: TestClient, clock: Clock) -> None:
    old = begun(client)
    new = exchange(client, old).json()["token"]

    under_way = status(client, old)
    clock.now += GRACE_S + 1

    assert under_way == 200
    assert status(client, old) == 401
    assert status(client, new) == 200


def test_exchange_is_repeated_within_a_minute_only_and_gives_no_second_token(client: TestClient, clock: Clock) -> None:
    old = begun(client)
    first = exchange(client, old).json()
    clock.now += GRACE_S - 1
    again = exchange(client, old).json()
    clock.now += 2
    late = exchange(client, old)

    assert again["token"] == first["token"] != old
    assert (late.status_code, late.json()["error"]["code"]) == (401, "token_invalid")


def test_token_is_dead_once_the_one_after_it_was_exchanged(client: TestClient, clock: Clock) -> None:
    first = begun(client)
    second = exchange(client, first).json()["token"]
    third = exchange(client, second).json()["token"]

    assert [status(client, token) for token in (first, second, third)] == [401, 200, 200]
    assert exchange(client, first).status_code == 401


def test_token_that_ran_out_is_exchanged_once(client: TestClient, clock: Clock) -> None:
    old = begun(client)
    clock.now += VALID_S + ROTATES_S - 1
    new = exchange(client, old).json()["token"]
    clock.now += GRACE_S + 1

    assert status(client, new) == 200
    assert exchange(client, old).status_code == 401


def test_visitor_who_keeps_exchanging_stays_the_same(client: TestClient, clock: Clock) -> None:
    mine = client.post("/visitor", json={}).json()
    body = {"question": "How?", "conversation_id": "c-1"}
    client.post("/ask", json=body, headers={"Authorization": f"Bearer {mine['token']}"})
    token = mine["token"]
    for _ in range(5):
        clock.now += VALID_S - 100
        token = exchange(client, token).json()["token"]

    mine = client.get("/conversations", headers={"Authorization": f"Bearer {token}"}).json()
    assert [item["id"] for item in mine["items"]] == ["c-1"]


def test_what_one_process_exchanged_is_dead_in_others_and_after_a_restart(serve: Serve, clock: Clock) -> None:
    here, there = serve(), serve()
    old = begun(here)
    assert status(there, old) == 200
    exchange(here, old)
    clock.now += GRACE_S + 1

    assert status(there, old) == 401
    assert exchange(there, old).status_code == 401
    restarted = serve()
    assert status(restarted, old) == 401
    assert exchange(restarted, old).status_code == 401


@pytest.mark.anyio
async def test_of_many_exchanges_at_once_there_is_one_new_token(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedAssistant()) as here, serving(tmp_path, ScriptedAssistant()) as there:
        old = (await here.post("/visitor", json={})).json()["token"]
        places = [(here, there)[n % 2] for n in range(40)]
        given = await asyncio.gather(*(place.post("/visitor", json={"token": old}) for place in places))

    assert {answer.status_code for answer in given} == {200}
    assert len({answer.json()["token"] for answer in given}) == 1


@pytest.mark.anyio
async def test_exchanges_are_kept_for_as_long_as_the_token_could_be_exchanged(tmp_path: Path) -> None:
    database = await open_database(settings_in(tmp_path).storage)
    records = VisitorTokenRecords(database, database.tenant)
    await records.exchange("old", 0, 1000.0)
    await records.exchange("new", 0, 2000.0)

    assert await records.forget(1500.0) == 1
    assert set(await records.since(0.0)) == {"new"}
    await database.close()
