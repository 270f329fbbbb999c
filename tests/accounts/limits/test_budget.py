"""Budgets in tokens and money: in one process, and in a real server of the Redis protocol for several."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from handrail.accounts.keyspace import Keyspace
from handrail.accounts.limits import Denied, LimitsUnavailable
from handrail.accounts.limits.budget import (
    HELD_RETRY_S,
    MONEY,
    TOKENS,
    Allowance,
    Budget,
    InProcessBudget,
    Reservation,
    allowances,
)
from handrail.accounts.limits.kept import Kept, KeptBudget
from handrail.accounts.limits.rules import DAY, Rule
from handrail.accounts.limits.shared_budget import RedisBudget, SpareBudget
from handrail.accounts.redis_client import connect
from handrail.errors import SettingsError
from handrail.records.daily_counts import DailyCounts
from handrail.records.database import open_database
from handrail.settings import Settings, Storage
from handrail.types.usage import Usage
from tests.clock import Clock

pytestmark = pytest.mark.anyio

NOON = 1_800_014_400.0
TO_MIDNIGHT = 43_200
Places = Callable[..., list[Budget]]


@pytest.fixture
def clock() -> Clock:
    return Clock(NOON)


@pytest.fixture(params=["in process", "in Redis", "in SQLite"])
async def budgets(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> AsyncIterator[Places]:
    """Makes what two processes use for the same budget; in process both are one."""
    async with AsyncExitStack() as opened:
        database = await open_database(Storage(data_dir=tmp_path))
        opened.push_async_callback(database.close)
        kept = Kept(DailyCounts(database, "default"), b"secret", clock)

        def make(*given: Allowance) -> list[Budget]:
            if request.param == "in SQLite":
                return [KeptBudget(kept, given), KeptBudget(kept, given)]
            if request.param == "in process":
                return [InProcessBudget(given, clock)] * 2
            found: list[Budget] = []
            for _ in range(2):
                redis = connect(request.getfixturevalue("redis_server").connection_url)
                opened.push_async_callback(redis.aclose)
                found.append(RedisBudget(redis, Keyspace("tests"), given, clock))
            return found

        yield make


def tokens(limit: int, need: int, *, per_visitor: bool = False) -> Allowance:
    return Allowance(Rule("visitor_tokens" if per_visitor else "global_tokens", DAY, limit, per_visitor), TOKENS, need)


def money(limit: int, need: int) -> Allowance:
    return Allowance(Rule("global_money", DAY, limit, False), MONEY, need)


async def reserved(budget: Budget, visitor: str = "a") -> Reservation:
    found = await budget.reserve(visitor)
    assert not isinstance(found, Denied)
    return found


async def spend(budget: Budget, count: int, visitor: str = "a") -> None:
    await (await reserved(budget, visitor)).settle(Usage(count, 0))


async def test_of_many_turns_at_once_none_goes_over_the_budget(budgets: Places) -> None:
    """Each takes something else than the others, and all that it may take at most."""
    here, there = budgets(tokens(3_000, 300), money(15_000, 1000))
    spent = Usage()

    async def turn(n: int) -> bool:
        nonlocal spent
        held = await (here, there)[n % 2].reserve(f"visitor {n % 3}")
        if isinstance(held, Denied):
            return False
        await asyncio.sleep(0)
        usage = Usage(n, 300 - n if n % 5 == 0 else 0, 0.000_001 * (n * 5))
        spent += usage
        await held.settle(usage)
        return True

    rounds = 0
    while any(await asyncio.gather(*(turn(n) for n in range(60)))):
        rounds += 1

    assert rounds
    assert 3_000 - 300 < spent.input_tokens + spent.output_tokens <= 3_000
    assert spent.cost_usd <= 0.015


async def test_what_was_not_used_is_free_again_and_what_was_stays_used(budgets: Places) -> None:
    here, there = budgets(tokens(1000, 600))
    first = await reserved(here)
    refused = await there.reserve("b")
    await first.settle(Usage(100, 50))
    await spend(there, 250)
    await spend(here, 1)

    assert refused == Denied("global_tokens", HELD_RETRY_S)
    assert await here.reserve("a") == Denied("global_tokens", TO_MIDNIGHT)


async def test_used_up_until_the_day_ends(budgets: Places, clock: Clock) -> None:
    here, there = budgets(tokens(1000, 600))
    await spend(here, 401)

    assert await there.reserve("b") == Denied("global_tokens", TO_MIDNIGHT)
    clock.now += TO_MIDNIGHT
    await spend(there, 10)


async def test_each_visitor_has_a_budget(budgets: Places) -> None:
    here, there = budgets(tokens(1000, 600, per_visitor=True))
    await spend(here, 600, "a")

    assert await there.reserve("a") == Denied("visitor_tokens", TO_MIDNIGHT)
    await spend(there, 600, "b")


async def test_refused_in_one_unit_holds_nothing_in_the_other(budgets: Places) -> None:
    here, there = budgets(tokens(100, 50), money(10, 6))
    held = await reserved(here)
    refused = [await there.reserve("a") for _ in range(5)]
    await held.settle(Usage(50, 0, 0.000_001))

    assert refused == [Denied("global_money", HELD_RETRY_S)] * 5
    await spend(there, 50)


async def test_unknown_use_counts_all_that_was_reserved(budgets: Places) -> None:
    here, there = budgets(tokens(1000, 600))
    await (await reserved(here)).settle(None)

    assert await there.reserve("a") == Denied("global_tokens", TO_MIDNIGHT)


async def test_turn_that_ends_after_midnight_belongs_to_the_day_it_began_on(budgets: Places, clock: Clock) -> None:
    here, there = budgets(tokens(1000, 600))
    held = await reserved(here)
    clock.now += TO_MIDNIGHT
    await spend(there, 400)
    await held.settle(Usage(600, 0))

    await spend(there, 600)


async def test_without_redis_a_spare_counts_where_there_is_one(clock: Clock) -> None:
    redis = connect("redis://127.0.0.1:1/0")
    shared = RedisBudget(redis, Keyspace("tests"), [tokens(1000, 600)], clock)
    with pytest.raises(LimitsUnavailable):
        await shared.reserve("a")

    spared = SpareBudget(shared, InProcessBudget([tokens(1000, 600)], clock))
    await spend(spared, 600)
    assert await spared.reserve("a") == Denied("global_tokens", TO_MIDNIGHT)
    await redis.aclose()


def limited(llm: dict[str, float] | None = None, **limits: float) -> Settings:
    return Settings.model_validate({"limits": limits, "llm": llm or {}})


def test_by_default_there_is_no_budget() -> None:
    assert allowances(Settings()) == ()


def test_money_is_counted_in_millionths() -> None:
    (only,) = allowances(limited({"turn_max_usd": 0.02}, global_usd_per_day=1.1))

    assert (only.rule.limit, only.need, only.unit) == (1_100_000, 20_000, MONEY)


@pytest.mark.parametrize(
    ("llm", "limits", "named"),
    [
        ({}, {"visitor_usd_per_day": 1.0}, "limits.visitor_usd_per_day needs llm.turn_max_usd"),
        ({"turn_max_usd": 0.5}, {"global_usd_per_day": 0.4}, "limits.global_usd_per_day needs llm.turn_max_usd"),
        (
            {"turn_max_tokens": 0},
            {"global_tokens_per_day": 9},
            "limits.global_tokens_per_day needs llm.turn_max_tokens",
        ),
        ({}, {"visitor_tokens_per_day": 100}, "limits.visitor_tokens_per_day needs llm.turn_max_tokens"),
    ],
)
def test_budget_that_no_turn_fits_into_is_refused(llm: dict[str, float], limits: dict[str, float], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        allowances(limited(llm, **limits))
