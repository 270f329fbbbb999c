"""The visitor's page talks to one API process and the agent's to another; they share a database and Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.flow import angry_cancellation
from tests.browser.real_process import Process
from tests.browser.sides import Agent, Visitor, add_agent, own_page, patiently
from tests.conftest import started_valkey
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.slow]


@dataclass
class Pair:
    visitors: Process
    agents: Process
    agent: Agent


@pytest.fixture(scope="module")
def pair(browser: Browser, sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    records = tmp_path_factory.mktemp("records") / "r.db"
    settings = sample_settings(sample_index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}")
    email, password = add_agent(settings)
    redis = started_valkey()
    with ExitStack() as stack:
        stack.callback(redis.stop)
        stack.enter_context(patiently())
        here, there = (Process(sample_index, records, redis.connection_url) for _ in range(2))
        for process in (here, there):
            stack.callback(process.close)
            process.start()
        for process in (here, there):
            process.wait()
        agent = Agent(stack.enter_context(own_page(browser)), there.base)
        agent.sign_in(email, password)
        yield Pair(here, there, agent)


@pytest.fixture
def visitor(pair: Pair, browser: Browser) -> Iterator[Visitor]:
    pair.agent.tidy()
    pair.agent.nobody_waits()
    with own_page(browser) as page:
        arrived = Visitor(page)
        arrived.open(pair.visitors.base)
        yield arrived


def test_an_angry_cancellation_across_two_processes(pair: Pair, visitor: Visitor) -> None:
    angry_cancellation(visitor, pair.agent)
