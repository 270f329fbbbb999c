"""Two real pages before the real application: a visitor in the widget, an agent at the desk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.flow import angry_cancellation
from tests.browser.real_site import serve_real_site
from tests.browser.sides import Agent, Visitor, add_agent, own_page, patiently
from tests.sample import sample_settings

pytestmark = [pytest.mark.browser, pytest.mark.models]


@pytest.fixture(scope="module")
def agent(browser: Browser, sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    records = tmp_path_factory.mktemp("records") / "r.db"
    settings = sample_settings(sample_index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}")
    email, password = add_agent(settings)
    with ExitStack() as stack:
        stack.enter_context(patiently())
        site = stack.enter_context(serve_real_site(sample_index, records, per_minute=1000))
        working = Agent(stack.enter_context(own_page(browser)), site.url.removesuffix("/demo"))
        working.sign_in(email, password)
        yield working


@pytest.fixture
def visitor(agent: Agent, browser: Browser) -> Iterator[Visitor]:
    agent.tidy()
    agent.nobody_waits()
    with own_page(browser) as page:
        arrived = Visitor(page)
        arrived.open(agent.base)
        yield arrived


def test_an_angry_cancellation_from_the_first_word_to_the_rating(visitor: Visitor, agent: Agent) -> None:
    angry_cancellation(visitor, agent)


def test_a_person_as_the_very_first_wish_reaches_the_desk_and_a_reload_loses_nothing(
    visitor: Visitor, agent: Agent
) -> None:
    visitor.want_person()
    agent.take()
    agent.say("Hello, how can I help?")
    expect(visitor.replies("person")).to_contain_text("how can I help?")

    visitor.page.reload()
    expect(visitor.replies("person")).to_have_count(1)
    agent.say("Are you still there?")
    expect(visitor.replies("person")).to_have_count(2)
