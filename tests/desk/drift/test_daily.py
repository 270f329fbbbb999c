"""A day's sample before a judge that is a real server; each answer is paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from handrail.desk.drift.daily import AGAIN_S, Grading, last_whole_day, sample_of
from handrail.llm.judge import Judge, connected
from handrail.records.database import Database, open_database
from handrail.records.gradings import Drawn, GradingRecords
from handrail.settings import Settings, Storage
from tests.api.live import until
from tests.clock import Clock
from tests.records.talks import evidence, store, talk
from tests.scripted_openai import Fails, Hangs, Says, ScriptedOpenAI

pytestmark = pytest.mark.anyio

UTC = ZoneInfo("UTC")
NOW = 1_800_000_000.0
DAY = last_whole_day(UTC, NOW)
PASSAGE = {"index": 1, "id": "domains:connect/2", "title": "Connect a domain", "excerpt": "Open Settings."}
CLAIM = {"text": "Open the settings [1].", "citations": [1]}
RATED = Says({"unsupported": [], "faithfulness": 5, "relevancy": 4})


def judge(server: ScriptedOpenAI, folder: Path) -> Judge:
    made = connected(
        Settings.model_validate(
            {
                "judge": {"base_url": server.url, "model": "wise", "usd_per_million_input": 1000},
                "storage": {"data_dir": folder},
            }
        )
    )
    assert made is not None
    return made


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(Storage(data_dir=tmp_path))
    yield opened
    await opened.close()


class Judging:
    """A sample, and a judge who reads it."""

    def __init__(self, database: Database, server: ScriptedOpenAI, folder: Path) -> None:
        self.database = database
        self.records = GradingRecords(database, "default")
        self.server = server
        self.judge = judge(server, folder)
        self.clock = Clock(NOW)

    async def fill(self, count: int = 6, **values: Any) -> None:
        given = {"passages": [PASSAGE], "claims": [CLAIM], **values}
        turns = [
            evidence("a", NOW - 86_400 - n, turn_id=f"t-{n}", **{"question": f"How do I connect domain {n}?", **given})
            for n in range(count)
        ]
        await store(self.database, talk("a", NOW), *turns)

    async def sample(self, day: date = DAY) -> list[Drawn]:
        return await sample_of(self.records, day, UTC, 100)

    def grading(self, **values: Any) -> Grading:
        return Grading(self.records, self.judge, "acme", self.clock, **values)

    async def grades(self) -> dict[str, int | None]:
        return {one.evidence.turn_id: one.grades["judge"].grade for one in await self.sample() if one.grades}


@pytest.fixture
async def judging(database: Database, llm_provider: ScriptedOpenAI, tmp_path: Path) -> AsyncIterator[Judging]:
    llm_provider.script(RATED)
    made = Judging(database, llm_provider, tmp_path)
    yield made
    await made.judge.aclose()


async def test_the_lower_rating_is_the_grade_and_nothing_is_asked_twice(judging: Judging) -> None:
    await judging.fill()

    first = await judging.grading().grade(DAY, await judging.sample())
    again = await judging.grading().grade(DAY, await judging.sample())

    assert (first.graded, again.graded) == (6, 0)
    assert len(judging.server.requests) == 6
    assert await judging.grades() == {f"t-{n}": 4 for n in range(6)}
    asked = judging.server.requests[0].user
    assert "Open Settings." in asked and "Open the settings" in asked and "<conversation>" not in asked


async def test_workers_that_grade_at_once_share_the_sample(judging: Judging) -> None:
    await judging.fill(9)
    sample = await judging.sample()

    done = await asyncio.gather(*(judging.grading().grade(DAY, sample) for _ in range(3)))

    assert sum(one.graded for one in done) == len(judging.server.requests) == 9


async def test_a_failure_is_tried_again_later_and_an_outage_ends_it(judging: Judging) -> None:
    await judging.fill(12)
    judging.server.script(Fails(400))
    failed = await judging.grading().grade(DAY, await judging.sample())
    judging.server.script(RATED)
    at_once = await judging.grading().grade(DAY, await judging.sample())
    judging.clock.now = NOW + AGAIN_S
    later = await judging.grading().grade(DAY, await judging.sample())

    assert failed.stopped is not None and failed.graded == 0
    assert at_once.graded == 12 - failed.failed
    assert later.graded == failed.failed


async def test_the_budget_holds(judging: Judging) -> None:
    await judging.fill(12)

    done = await judging.grading(max_usd=0.9).grade(DAY, await judging.sample())

    assert done.graded == 8
    assert done.spent_usd == pytest.approx(0.8)
    assert done.stopped is not None and "0.90 USD" in done.stopped
    judging.server.script(RATED)
    assert (await judging.grading().grade(DAY, await judging.sample())).graded == 4


async def test_an_interrupted_run_gives_back_what_it_has_taken(judging: Judging) -> None:
    await judging.fill(4)
    judging.server.script(Hangs())
    running = asyncio.create_task(judging.grading().grade(DAY, await judging.sample()))
    await until(lambda: len(judging.server.requests) == 4)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    judging.server.script(RATED)

    assert (await judging.grading().grade(DAY, await judging.sample())).graded == 4


async def test_sections_shown_as_closest_are_judged_by_whether_they_answer(judging: Judging) -> None:
    piece = {"title": "Domains", "markdown": "Open **Domains**.", "article_id": "domains"}
    shown = {"closest": [{"open": True, "piece": piece}]}
    await judging.fill(1, claims=[], passages=[], routing="low_confidence", meta={"shown": shown})

    assert (await judging.grading().grade(DAY, await judging.sample())).graded == 1
    assert judging.server.requests[0].user.count("Open **Domains**.") == 2


async def test_what_cites_nothing_is_left_to_people(judging: Judging) -> None:
    await judging.fill(2, claims=[])

    done = await judging.grading().grade(DAY, await judging.sample())

    assert (done.graded, done.uncited, judging.server.requests) == (0, 2, [])
    assert await judging.grades() == {}


async def test_the_judge_sees_no_personal_data(judging: Judging) -> None:
    await judging.fill(1, question="I'm Ana Lopez, ana@example.net. How do I connect a domain?")

    await judging.grading().grade(DAY, await judging.sample())

    assert "connect a domain" in judging.server.requests[0].user
    assert "Ana" not in judging.server.requests[0].user and "ana@" not in judging.server.requests[0].user


def test_without_a_judge_nobody_is_asked_unless_the_answering_model_may_stand_in(tmp_path: Path) -> None:
    settings = Settings.model_validate({"llm": {"base_url": "http://127.0.0.1:9/v1", "model": "writer"}})
    with_judge = Settings.model_validate({"judge": {"base_url": "http://127.0.0.1:9/v1", "model": "wise"}})

    assert connected(settings) is None
    assert connected(with_judge, "off") is None
    stand_in, pinned = connected(settings, "llm"), connected(with_judge, "llm")
    assert stand_in is not None and stand_in.name == "writer"
    assert pinned is not None and pinned.name == "wise"
