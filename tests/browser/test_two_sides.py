"""Two real pages before the real application: a visitor in the widget, an agent at the desk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.flow import angry_cancellation
from tests.browser.sides import Agent, Visitor, arriving, real_desk

pytestmark = [pytest.mark.browser, pytest.mark.models]


@pytest.fixture(scope="module")
def agent(browser: Browser, sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with real_desk(browser, sample_index, tmp_path_factory.mktemp("records") / "r.db") as working:
        yield working


@pytest.fixture
def visitor(agent: Agent, browser: Browser) -> Iterator[Visitor]:
    agent.clear()
    with arriving(browser, agent.base) as arrived:
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
