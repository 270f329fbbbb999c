"""Two sides that measure the same rows, each waiting for the other."""

from __future__ import annotations

import asyncio

from eval.datasets import Case
from eval.runner import run_each
from eval.spending import Spending
from eval.turns import Order, Turns

CASES = [Case(id=f"r{n}", line=n) for n in range(1, 5)]


async def both(order: Order, asked: list[tuple[str, int]], spending: Spending | None = None) -> None:
    async def side(number: int) -> None:
        async def work(case: Case) -> str:
            await asyncio.sleep(0)
            asked.append(("AB"[number], case.line))
            return case.id

        done = await run_each(CASES, work, lambda: None, spending=spending, turns=Turns(order, number))
        assert done.interrupted == (spending is not None)

    await asyncio.gather(side(0), side(1))


def test_each_row_is_asked_of_both_before_the_next_and_who_begins_alternates() -> None:
    asked: list[tuple[str, int]] = []

    asyncio.run(both(Order(), asked))

    assert asked == [("A", 1), ("B", 1), ("B", 2), ("A", 2), ("A", 3), ("B", 3), ("B", 4), ("A", 4)]


def test_what_may_not_be_asked_any_more_keeps_nobody_waiting() -> None:
    asked: list[tuple[str, int]] = []

    asyncio.run(both(Order(), asked, Spending(stopped="the budget is used up")))

    assert asked == []
