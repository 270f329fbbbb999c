"""An agent steps into a conversation that the assistant holds, and a second tab joins it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.browser.served import served
from tests.browser.sides import DOMAIN, Agent, Visitor, add_agent, arriving, at_work


@pytest.fixture(scope="module")
def agent(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    settings = settings_in(tmp_path_factory.mktemp("desk"), server={"demo_mode": True})
    person = add_agent(settings)
    with served(create_app(settings, ScriptedAssistant())) as base, at_work(browser, base, person) as working:
        yield working


@pytest.fixture
def visitor(agent: Agent, browser: Browser) -> Iterator[Visitor]:
    agent.clear()
    with arriving(browser, agent.base) as arrived:
        arrived.say(DOMAIN)
        expect(arrived.replies("answered")).to_be_visible()
        yield arrived


def step_in(agent: Agent) -> None:
    """Take the only conversation there is from the assistant."""
    agent.page.get_by_role("button", name="All").click()
    agent.take()


def test_an_idle_visitor_is_told_once_and_sees_who_is_speaking(visitor: Visitor, agent: Agent) -> None:
    step_in(agent)

    expect(visitor.events).to_have_count(1)
    expect(visitor.events).to_contain_text("has taken over this conversation")
    expect(visitor.handler).to_have_text("With our team")
    expect(visitor.page.locator("handrail-widget .speaker")).to_have_text("Robin (demo)")
    expect(visitor.person_button).to_be_hidden()

    visitor.say("Is anybody there?")
    expect(agent.messages).to_contain_text("Is anybody there?")
    expect(visitor.log.locator(".delivered")).to_have_count(1)
    visitor.page.reload()
    expect(visitor.page.locator("handrail-widget .speaker")).to_have_text("Robin (demo)")
    expect(visitor.log.get_by_text("has taken over this conversation")).to_have_count(1)

    agent.hand_back()
    visitor.handed_back()
    expect(visitor.page.locator("handrail-widget .speaker")).to_have_text("")


def test_a_visitor_who_has_closed_the_chat_is_followed_by_nobody_and_told_on_opening(
    visitor: Visitor, agent: Agent
) -> None:
    followed: list[str] = []
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.get_by_role("dialog")).to_be_hidden()
    visitor.page.on("request", lambda request: followed.append(request.url))

    step_in(agent)
    agent.say("Let me look at your domain.")
    expect(visitor.launcher).to_have_accessible_name("Open chat")
    assert [url for url in followed if "/events" in url] == []

    visitor.launcher.click()
    expect(visitor.replies("person")).to_contain_text("Let me look at your domain.")
    expect(visitor.events).to_have_count(1)


def test_a_second_tab_joins_the_conversation(visitor: Visitor, agent: Agent) -> None:
    with visitor.page.context.expect_page() as opened:
        visitor.page.evaluate("window.open(location.href)")
    second = Visitor(opened.value)
    expect(second.replies("answered")).to_be_visible()

    second.say("How do I refund a customer?")
    expect(second.log.locator(".message.assistant")).to_have_count(2)
    visitor.page.bring_to_front()
    expect(visitor.said.filter(has_text="How do I refund a customer?")).to_have_count(1)
    expect(visitor.log.locator(".message.assistant")).to_have_count(2)

    step_in(agent)
    for tab in (visitor, second):
        expect(tab.events).to_have_count(1)
    visitor.say("Thank you for joining.")
    expect(second.said.filter(has_text="Thank you for joining.")).to_have_count(1)
    agent.say("You're welcome.")
    for tab in (visitor, second):
        expect(tab.replies("person")).to_contain_text("You're welcome.")
