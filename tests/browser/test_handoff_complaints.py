"""Where other products' hand-off breaks: each complaint is a test with a visitor's page and an agent's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from handrail.settings import Settings
from handrail.turn import outcome
from handrail.types import Verdict
from tests.browser.real_site import serve_real_site
from tests.browser.sides import ANGRY, DOMAIN, Agent, Directed, Visitor, arriving, own_page, real_desk

pytestmark = [pytest.mark.models, pytest.mark.slow]

SECOND_QUESTION = "How long do I have to wait then?"


@dataclass
class House:
    base: str
    assistant: Directed
    agent: Agent


@pytest.fixture(scope="module")
def house(browser: Browser, sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The application with an agent at the desk, for all tests here."""
    made: list[Directed] = []

    def directed(settings: Settings) -> Directed:
        made.append(Directed(settings))
        return made[-1]

    records = tmp_path_factory.mktemp("records") / "r.db"
    with real_desk(browser, sample_index, records, assistant=directed) as agent:
        yield House(agent.base, made[0], agent)


@pytest.fixture
def agent(house: House) -> Iterator[Agent]:
    yield house.agent
    house.assistant.go.set()
    house.assistant.says = None
    house.agent.clear()


@pytest.fixture
def visitor(house: House, agent: Agent, browser: Browser) -> Iterator[Visitor]:
    with arriving(browser, house.base) as arrived:
        yield arrived


def test_the_bot_does_not_talk_over_the_person(house: House, visitor: Visitor, agent: Agent) -> None:
    """An answer that is being written while a person takes over is withdrawn, and the next question is the person's."""
    house.assistant.go.clear()
    visitor.say(DOMAIN)
    expect(visitor.page.locator("[data-routing=writing]")).to_contain_text("domain")
    visitor.want_person()
    agent.take()
    agent.say("Hello, I am reading what you wrote.")
    expect(visitor.replies("person")).to_contain_text("I am reading")

    house.assistant.go.set()
    expect(visitor.page.locator("[data-routing=writing]")).to_have_count(0)
    visitor.say("Is anybody there?")
    expect(agent.messages).to_contain_text("Is anybody there?")

    expect(visitor.log.locator("[data-routing=handed_off], .delivered")).to_have_count(2)
    expect(visitor.log.locator(".ai")).to_have_count(0)
    expect(agent.page.locator(".message.assistant")).to_have_count(0)


def test_a_hand_off_is_what_was_done_and_not_what_the_reply_says(house: House, visitor: Visitor, agent: Agent) -> None:
    """Words about a transfer hand nothing over and pretend nothing; the button under a reply does it at once."""
    house.assistant.says = outcome.answered(
        "I am transferring you to a colleague now. Please hold.", Verdict.FULLY, (), 0.9
    )
    visitor.say(DOMAIN)
    expect(visitor.replies("answered")).to_contain_text("transferring you")
    expect(visitor.handler).to_have_text("AI assistant")
    expect(visitor.replies("handoff")).to_have_count(0)
    agent.nobody_waits()

    house.assistant.says = None
    visitor.say(ANGRY)
    visitor.replies("high_stakes").get_by_role("button", name="Talk to a person").click()
    visitor.send_form()

    expect(agent.queue).to_contain_text("High stakes")
    agent.queue.first.click()
    expect(agent.messages).to_contain_text(ANGRY)


def test_no_hand_off_without_a_word_to_the_visitor(visitor: Visitor, agent: Agent) -> None:
    """Asked for, taken, handed back, taken up again and closed: each is said, also behind a closed panel."""
    visitor.want_person()
    expect(visitor.replies("handoff")).to_contain_text("HR-")
    expect(visitor.status).not_to_be_empty()
    expect(visitor.handler).to_have_text("AI assistant")

    agent.take()
    expect(visitor.events.last).to_contain_text("has taken over this conversation")
    expect(visitor.handler).to_have_text("With our team")

    visitor.page.keyboard.press("Escape")
    agent.say("Are you still there?")
    expect(visitor.launcher).to_have_accessible_name("Open chat, 1 new")
    visitor.launcher.click()
    expect(visitor.replies("person")).to_contain_text("Are you still there?")

    agent.hand_back()
    visitor.handed_back()
    agent.resolve()
    expect(visitor.page.locator(".closed")).to_be_visible()
    visitor.page.get_by_role("button", name="Continue this conversation").click()
    expect(visitor.events.last).to_contain_text("Your request is with our team")


def test_one_hand_off_is_one_message(visitor: Visitor, agent: Agent) -> None:
    """Whichever way and however often a person is asked for, there is one receipt, one ticket, one announcement."""
    visitor.say(ANGRY)
    offer = visitor.replies("high_stakes").get_by_role("button", name="Talk to a person")
    offer.click()
    visitor.page.get_by_role("button", name="Send to our team").dblclick()
    expect(visitor.replies("handoff")).to_have_count(1)
    offer.click()
    visitor.person_button.click()
    expect(visitor.page.locator(".person-form")).to_be_hidden()
    expect(agent.queue).to_have_count(1)

    visitor.say("Hello?")
    expect(visitor.page.locator(".delivered")).to_have_count(1)
    expect(visitor.replies("handed_off")).to_have_count(0)
    visitor.say("Hello??")
    expect(agent.queue).to_contain_text("Hello??")
    agent.take()
    expect(visitor.events).to_have_count(1)
    visitor.page.reload()
    expect(visitor.log).to_contain_text("Hello??")
    agent.say("Here I am.")
    expect(visitor.replies("person")).to_have_count(1)
    expect(visitor.replies("handoff")).to_have_count(1)
    expect(visitor.events).to_have_count(1)
    expect(agent.page.locator(".event.announcement")).to_have_count(1)


def test_no_endless_hand_off_loop_after_a_conversation_is_reopened(visitor: Visitor, agent: Agent) -> None:
    """Reopened and handed back, the same anger is answered by the bot again; asking again is one new hand-off."""
    visitor.say(ANGRY)
    expect(visitor.replies("high_stakes")).to_have_count(1)
    visitor.want_person()
    agent.take()
    agent.resolve()
    visitor.page.get_by_role("button", name="Continue this conversation").click()
    expect(visitor.page.locator(".closed")).to_have_count(0)
    agent.take()
    agent.hand_back()
    visitor.handed_back()

    visitor.say(ANGRY)
    expect(visitor.replies("high_stakes")).to_have_count(2)
    agent.nobody_waits()
    expect(visitor.replies("handed_off")).to_have_count(0)

    visitor.want_person()
    expect(agent.queue).to_have_count(1)
    expect(visitor.replies("handoff")).to_have_count(2)


def test_the_bot_is_not_mute_after_being_handed_back(visitor: Visitor, agent: Agent) -> None:
    visitor.want_person()
    agent.take()
    agent.say("The assistant knows this one better.")
    agent.hand_back()
    visitor.handed_back()

    visitor.say(DOMAIN)

    expect(visitor.replies("answered")).to_contain_text("domain")
    expect(visitor.replies("answered").locator(".ai")).to_be_visible()
    expect(agent.page.locator(".message.assistant")).to_have_count(1)


def test_talk_to_a_person_as_the_very_first_message_notifies_somebody(visitor: Visitor, agent: Agent) -> None:
    """In words as well as by the button, before anything else was said."""
    visitor.say("I want to talk to a person")
    reply = visitor.replies("out_of_scope")
    reply.get_by_role("button", name="Talk to a person").click()
    visitor.send_form()

    expect(agent.queue).to_contain_text("I want to talk to a person")
    expect(agent.page.locator("[aria-live=polite], [role=status], [role=alert]").first).to_be_attached()
    agent.take()
    agent.say("Hello, how can I help?")
    expect(visitor.replies("person")).to_contain_text("how can I help?")


def test_no_colleague_is_promised_when_nobody_is_there(house: House, visitor: Visitor, agent: Agent) -> None:
    """The agent leaves while the chat is open: from then on everything that is said knows it."""
    promise = "A person replies within one working day."
    visitor.person_button.click()
    expect(visitor.page.locator(".person-form .intro")).to_contain_text(promise)
    visitor.page.get_by_role("button", name="Cancel").click()
    try:
        agent.page.goto("about:blank")
        visitor.person_button.click()
        expect(visitor.page.locator(".person-form .intro")).to_contain_text("Our support team is away at the moment.")
        visitor.page.get_by_role("button", name="Cancel").click()

        visitor.say(ANGRY)
        expect(visitor.replies("high_stakes")).to_contain_text("Our support team is away at the moment.")
        visitor.want_person()
        expect(visitor.replies("handoff")).to_contain_text("Our support team is away at the moment.")
        expect(visitor.status).to_contain_text("Our support team is away at the moment.")
        visitor.say("Hello?")
        expect(visitor.page.locator(".delivered")).to_have_count(1)
        expect(visitor.page.locator(".panel")).not_to_contain_text(promise)
    finally:
        agent.page.goto(f"{house.base}/desk")
        expect(agent.queue.first).to_be_visible()


@pytest.mark.usefixtures("house")
def test_no_colleague_is_promised_when_hand_off_is_off(browser: Browser, sample_index: Path, tmp_path: Path) -> None:
    with (
        serve_real_site(
            sample_index, tmp_path / "r.db", per_minute=1000, overrides={"BRAND__PERSON_AVAILABLE": "false"}
        ) as site,
        own_page(browser) as page,
    ):
        visitor = Visitor(page)
        visitor.open(site.url.removesuffix("/demo"))
        visitor.say("I want to talk to a person")
        expect(visitor.replies("out_of_scope")).to_be_visible()
        visitor.say(ANGRY)
        expect(visitor.replies("high_stakes")).to_be_visible()

        expect(page.locator(".panel").get_by_role("button", name="Talk to a person")).to_have_count(0)
        expect(page.locator(".panel")).not_to_contain_text("one working day")


def test_refusals_do_not_pollute_later_turns(house: House, visitor: Visitor, agent: Agent) -> None:
    """A follow-up is understood from what was said before it, also to a person, but never from refusals."""
    visitor.say(DOMAIN)
    expect(visitor.replies("answered")).to_have_count(1)
    visitor.say("Write me a poem about the sea")
    expect(visitor.log.locator("[data-routing=irrelevant], [data-routing=out_of_scope]")).to_have_count(1)
    visitor.say(SECOND_QUESTION)
    expect(visitor.log.locator(".message.assistant")).to_have_count(3)
    last = house.assistant.turns[-1]
    cited = [citation.passage.article_id for citation in last.outcome.citations]
    assert cited
    assert all(article.startswith("domains") for article in cited)
    assert "poem" not in last.standalone

    visitor.want_person()
    agent.take()
    visitor.say("My dog ate the invoice")
    expect(agent.messages).to_contain_text("My dog")
    agent.hand_back()
    visitor.handed_back()
    visitor.say(SECOND_QUESTION)
    expect(visitor.log.locator(".message.assistant")).to_have_count(4)
    assert "poem" not in house.assistant.turns[-1].standalone


def test_citations_are_there_in_the_embedded_widget(visitor: Visitor, agent: Agent) -> None:
    """Under the answer, after a reload, and after coming back to the conversation from another."""
    visitor.say(DOMAIN)
    for _ in range(2):
        answer = visitor.replies("answered")
        answer.get_by_role("button", name="Source 1:").first.click()
        expect(answer.locator("details[open] .excerpt").first).to_be_visible()
        expect(answer.locator("details[open] a").first).to_have_attribute(
            "href", re.compile("^https://help.tillwick.example/")
        )
        visitor.page.reload()
