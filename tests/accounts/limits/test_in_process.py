"""Counting within one process."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.accounts.limits import Allowed, Denied
from handrail.accounts.limits.in_process import InProcessLimiter
from handrail.accounts.limits.rules import Rule, handoff_rules, question_rules
from handrail.settings import Settings
from tests.clock import Clock

RULES = (
    Rule("visitor_minute", 60, 2, True),
    Rule("global_minute", 60, 3, False),
    Rule("visitor_day", 86_400, 4, True),
    Rule("global_day", 86_400, 6, False),
)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 0.0, 20.0, 61.0, 40_000.0])), max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_order_of_visitors_and_time_is_counted_like_the_definition_says(hits: list[tuple[str, float]]) -> None:
    clock = Clock(0.0)
    limiter = InProcessLimiter(RULES, clock)
    allowed: list[tuple[str, float]] = []

    async def run() -> None:
        for visitor, passes in hits:
            clock.now += passes
            used_up = {
                rule.scope
                for rule in RULES
                if sum(
                    rule.window(at) == rule.window(clock.now) and (not rule.per_visitor or who == visitor)
                    for who, at in allowed
                )
                >= rule.limit
            }
            verdict = await limiter.hit(visitor)
            if isinstance(verdict, Allowed):
                assert not used_up
                allowed.append((visitor, clock.now))
            else:
                assert verdict.scope in used_up

    asyncio.run(run())


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=80))
@settings(max_examples=30, deadline=None)
def test_simultaneous_hits_never_pass_a_limit(visitors: list[str]) -> None:
    limiter = InProcessLimiter(RULES, Clock(0.0))

    async def run() -> list[Allowed | Denied]:
        return await asyncio.gather(*(limiter.hit(visitor) for visitor in visitors))

    verdicts = asyncio.run(run())

    passed = Counter(who for who, verdict in zip(visitors, verdicts, strict=True) if isinstance(verdict, Allowed))
    assert passed.total() <= 3
    assert max(passed.values(), default=0) <= 2


@pytest.mark.anyio
async def test_longest_wait_is_the_one_that_is_told() -> None:
    clock = Clock(0.0)
    clock.now = 30.5
    limiter = InProcessLimiter((Rule("visitor_minute", 60, 1, True), Rule("visitor_day", 86_400, 1, True)), clock)
    await limiter.hit("a")

    assert await limiter.hit("a") == Denied("visitor_day", 86_370)


@pytest.mark.anyio
async def test_wait_leads_exactly_into_the_next_window() -> None:
    clock = Clock(0.0)
    clock.now = 119.999
    limiter = InProcessLimiter((Rule("visitor_minute", 60, 1, True),), clock)
    await limiter.hit("a")

    verdict = await limiter.hit("a")

    assert verdict == Denied("visitor_minute", 1)
    clock.now += 1
    assert isinstance(await limiter.hit("a"), Allowed)


@pytest.mark.anyio
async def test_visitors_of_past_windows_are_forgotten() -> None:
    clock = Clock(0.0)
    limiter = InProcessLimiter((Rule("visitor_minute", 60, 5, True),), clock)
    for n in range(1000):
        await limiter.hit(f"visitor {n}")

    clock.now = 61
    await limiter.hit("one more")

    assert limiter.remembered == 1


@pytest.mark.anyio
async def test_clock_set_back_gives_nobody_a_second_helping() -> None:
    clock = Clock(0.0)
    clock.now = 120
    limiter = InProcessLimiter((Rule("visitor_minute", 60, 1, True),), clock)
    await limiter.hit("a")
    clock.now = 100

    assert isinstance(await limiter.hit("a"), Denied)


def test_zero_is_unlimited_and_demo_mode_has_its_own_day() -> None:
    tree = {"limits": {"global_per_minute": 0, "global_per_day": 7, "demo_global_per_day": 5}}
    demo = Settings.model_validate({**tree, "server": {"demo_mode": True}})
    private = Settings.model_validate({**tree, "server": {"demo_mode": False}})

    assert {rule.scope: rule.limit for rule in question_rules(demo)} == {
        "visitor_minute": 12,
        "visitor_day": 100,
        "global_day": 5,
    }
    assert {rule.scope: rule.limit for rule in question_rules(private)}["global_day"] == 7


def test_switching_question_limits_off_keeps_those_on_requests_for_a_person() -> None:
    off = Settings.model_validate({"limits": {"enabled": False}})

    assert question_rules(off) == ()
    assert [rule.scope for rule in handoff_rules(off)] == ["visitor_hour"]
