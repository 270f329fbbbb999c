"""Running the rows: order, failures, interruption."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from eval.datasets import Case
from eval.runner import Done, run_each
from handrail.errors import RetryableError
from handrail.text.guard import clean

CASES = [Case(id=f"r{n}", line=n) for n in range(1, 6)]


def nothing() -> None: ...


@pytest.mark.usefixtures("listening_to_ctrl_c")
def test_ctrl_c_keeps_what_was_done() -> None:
    async def work(case: Case) -> str:
        if case.line == 3:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
        return case.id

    done: Done[Case, str] = asyncio.run(run_each(CASES, work, nothing))

    assert done.interrupted
    assert [result for _, result in done.measured] == ["r1", "r2"]


def test_a_row_that_fails_is_reported_and_the_others_go_on() -> None:
    steps = []

    async def work(case: Case) -> str:
        if case.line == 2:
            raise RetryableError("Chroma does not answer")
        if case.line == 4:
            raise KeyError("logits")
        return case.id

    done: Done[Case, str] = asyncio.run(run_each(CASES, work, lambda: steps.append(1)))

    assert not done.interrupted
    assert [result for _, result in done.measured] == ["r1", "r3", "r5"]
    assert done.unmeasured == [
        {"id": "r2", "line": 2, "error": "Chroma does not answer"},
        {"id": "r4", "line": 4, "error": "KeyError: 'logits'"},
    ]
    assert len(steps) == 5


def test_a_text_the_guard_refuses_is_not_applicable() -> None:
    async def work(case: Case) -> str:
        return clean(" " if case.line == 1 else "hello", 100)

    done: Done[Case, str] = asyncio.run(run_each(CASES[:2], work, nothing))

    rows = done.rows(lambda _, text: {"text": text})

    assert rows[0] == {"id": "r2", "line": 2, "text": "hello"}
    assert rows[1]["not_applicable"].startswith("the guard refuses it")
