"""Days of questions and budgets in the records: over a restart, for two processes, in either database."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from handrail.accounts.limits import Allowed, Denied, LimitsUnavailable
from handrail.accounts.limits.budget import TOKENS, Allowance
from handrail.accounts.limits.kept import Kept, KeptBudget, KeptLimiter
from handrail.accounts.limits.rules import DAY, MINUTE, Rule
from handrail.records import RecordsUnavailable
from handrail.records.daily_counts import DailyCounts
from handrail.records.database import Database, open_database
from handrail.settings import Storage
from handrail.types.usage import Usage
from tests.clock import Clock
from tests.migrated import new_records
from tests.tenancy import statements_without_tenant

pytestmark = pytest.mark.anyio

NOON = 1_800_014_400.0
RULES = (
    Rule("visitor_minute", MINUTE, 60, True),
    Rule("visitor_day", DAY, 40, True),
    Rule("global_day", DAY, 100, False),
)
Process = Callable[[], Awaitable[Kept]]


@pytest.fixture
def clock() -> Clock:
    return Clock(NOON)


@pytest.fixture(params=["sqlite", "postgresql"])
async def process(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Process]:
    """Starts another one on the same records."""
    url = new_records(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    async with AsyncExitStack() as opened:

        async def start() -> Kept:
            database = await open_database(Storage(data_dir=tmp_path, database_url=url))
            opened.push_async_callback(database.close)
            return Kept(DailyCounts(database, "default"), b"secret", clock)

        with statements_without_tenant() as found:
            yield start
        assert found == []


async def test_of_many_at_once_the_day_s_pass_and_a_restart_forgets_nothing(process: Process, clock: Clock) -> None:
    kept = await process()
    here, there = KeptLimiter(kept, RULES), KeptLimiter(kept, RULES)
    asked = [(here, there)[n % 2].hit(f"visitor {n % 4}") for n in range(200)]

    verdicts = await asyncio.gather(*asked)

    assert sum(isinstance(verdict, Allowed) for verdict in verdicts) == 100
    after = KeptLimiter(await process(), RULES)
    assert await after.hit("visitor 9") == Denied("global_day", 43_200)
    clock.now += 43_200
    assert isinstance(await after.hit("visitor 9"), Allowed)


async def test_what_is_refused_or_given_back_counts_nowhere(process: Process) -> None:
    limiter = KeptLimiter(await process(), RULES)
    verdicts = Counter([type(await limiter.hit("a")) for _ in range(50)])
    assert verdicts == {Allowed: 40, Denied: 10}
    await limiter.give_back("a")

    after = KeptLimiter(await process(), RULES)

    assert [type(await after.hit(who)) for who in "aa"] == [Allowed, Denied]
    assert [type(await after.hit("b")) for _ in range(41)] == [Allowed] * 40 + [Denied]
    assert sum([isinstance(await after.hit("c"), Allowed) for _ in range(25)]) == 20


async def test_who_asks_on_and_on_is_refused_without_a_look_at_the_records(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await process()
    limiter = KeptLimiter(kept, RULES)
    for _ in range(40):
        await limiter.hit("a")
    limiter = KeptLimiter(kept, RULES)
    assert await limiter.hit("a") == Denied("visitor_day", 43_200)

    monkeypatch.setattr(Database, "transaction", None)

    assert await limiter.hit("a") == Denied("visitor_day", 43_200)


async def test_budget_is_what_it_was_after_a_restart_and_addresses_are_not_on_record(process: Process) -> None:
    given = [Allowance(Rule("visitor_tokens", DAY, 1000, True), TOKENS, 400)]
    first = await process()
    held = await KeptBudget(first, given).reserve("203.0.113.7")
    lost = await KeptBudget(first, given).reserve("203.0.113.7")
    assert not isinstance(held, Denied) and not isinstance(lost, Denied)
    await held.settle(Usage(100, 50))

    after = KeptBudget(await process(), given)

    assert not isinstance(await after.reserve("203.0.113.7"), Denied), "150 used and 400 held leave 450"
    assert isinstance(await after.reserve("203.0.113.7"), Denied)
    assert not isinstance(await after.reserve("203.0.113.8"), Denied)
    async with first.counts._database.read_session() as session:
        rows = (await session.execute(text("SELECT * FROM daily_counts WHERE tenant = 'default'"))).all()
    assert len(rows) == 2 and "203.0.113" not in str(rows)


async def test_while_the_records_are_away_a_process_counts_on_its_own_or_takes_no_question(
    process: Process, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = await process()

    async def away(*_: object) -> None:
        raise RecordsUnavailable("the database doesn't respond")

    for name in ("use", "hold"):
        monkeypatch.setattr(kept.counts, name, away)
    limiter = KeptLimiter(kept, RULES)
    budget = KeptBudget(kept, [Allowance(Rule("global_tokens", DAY, 1000, False), TOKENS, 400)])

    assert sum([isinstance(await limiter.hit("a"), Allowed) for _ in range(50)]) == 40
    assert [isinstance(await budget.reserve("a"), Denied) for _ in range(3)] == [False, False, True]
    assert len(caplog.records) == 2

    strict = replace(kept, must=True)
    with pytest.raises(LimitsUnavailable):
        await KeptLimiter(strict, RULES).hit("a")
    with pytest.raises(LimitsUnavailable):
        await KeptBudget(strict, [Allowance(Rule("global_tokens", DAY, 1000, False), TOKENS, 400)]).reserve("a")
