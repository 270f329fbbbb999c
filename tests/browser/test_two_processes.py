"""The visitor's page talks to one API process, the agent's to another, over Redis and a database of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.flow import angry_cancellation
from tests.browser.real_process import Process
from tests.browser.sides import Agent, Visitor, add_agent, arriving, at_work
from tests.conftest import started_valkey
from tests.migrated import new_records
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.slow]


@dataclass
class Pair:
    visitors: Process
    agents: Process
    agent: Agent


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "postgresql":
        return new_records(request.getfixturevalue("postgres"))
    return f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('records') / 'r.db'}"


@pytest.fixture(scope="module")
def pair(browser: Browser, sample_index: Path, database_url: str) -> Iterator[Pair]:
    person = add_agent(sample_settings(sample_index, STORAGE__DATABASE_URL=database_url))
    redis = started_valkey()
    with ExitStack() as stack:
        stack.callback(redis.stop)
        here, there = (Process(sample_index, database_url, redis.connection_url) for _ in range(2))
        for process in (here, there):
            stack.callback(process.close)
            process.start()
        for process in (here, there):
            process.wait()
        yield Pair(here, there, stack.enter_context(at_work(browser, there.base, person)))


@pytest.fixture
def visitor(pair: Pair, browser: Browser) -> Iterator[Visitor]:
    pair.agent.clear()
    with arriving(browser, pair.visitors.base) as arrived:
        yield arrived


def test_an_angry_cancellation_across_two_processes(pair: Pair, visitor: Visitor) -> None:
    angry_cancellation(visitor, pair.agent)


def test_killing_either_process_in_the_middle_loses_nothing(pair: Pair, visitor: Visitor) -> None:
    """What was accepted is there, what was not is sent once the process is back; nothing comes twice."""
    agent = pair.agent
    visitor.want_person()
    agent.take()
    agent.say("one")
    expect(visitor.replies("person")).to_have_count(1)

    pair.visitors.kill()
    agent.say("two, while the visitor's process is dead")
    pair.visitors.start()
    pair.visitors.wait("/health")
    expect(visitor.replies("person")).to_have_count(2)
    visitor.say("three, after it")
    expect(agent.messages).to_contain_text("three, after it")

    pair.agents.kill()
    visitor.say("four, while the agent's process is dead")
    expect(visitor.log.locator("[data-routing=handed_off], .delivered")).to_have_count(2)
    pair.agents.start()
    pair.agents.wait("/health")
    expect(agent.messages).to_contain_text("four, while the agent's process is dead")
    agent.say("five, from both sides again")
    expect(visitor.replies("person")).to_have_count(3)

    visitor.page.reload()
    said = visitor.log.locator(".message.visitor .bubble, [data-routing=person] .bubble")
    expect(said).to_have_count(5)
    assert [text.split(",")[0] for text in said.all_inner_texts()] == ["one", "two", "three", "four", "five"]
    theirs = agent.page.locator(".message.visitor, .message.mine")
    expect(theirs).to_have_count(5)
