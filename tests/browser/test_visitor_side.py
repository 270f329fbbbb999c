"""What a visitor has of a conversation with people: marks, badge, sound, their other conversations, a transcript."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from handrail.accounts.customer.signed import sign
from tests.browser.sides import DOMAIN, Agent, Visitor, arriving, real_desk
from tests.browser.waiting import eventually
from tests.desk.outbox.receivers import Mailbox, mail_server

pytestmark = [pytest.mark.models, pytest.mark.slow]

SECRET = "a secret of the operator's server"
COUNT_NOTES = """
window.notes = 0;
const real = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.notes++; return real.call(this); };
"""


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as running:
        yield running


@pytest.fixture(scope="module")
def agent(
    mailbox: Mailbox, browser: Browser, sample_index: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    overrides = {
        "CUSTOMER__SECRET": SECRET,
        "ALERTS__SMTP_HOST": "127.0.0.1",
        "ALERTS__SMTP_PORT": str(mailbox.port),
        "ALERTS__SMTP_SECURITY": "none",
        "ALERTS__POLL_S": "0.05",
        "ALERTS__MAIL_FROM": "help@tillwick.example",
    }
    with real_desk(browser, sample_index, tmp_path_factory.mktemp("records") / "r.db", overrides=overrides) as working:
        yield working


@pytest.fixture
def visitor(agent: Agent, browser: Browser) -> Iterator[Visitor]:
    agent.clear()
    with arriving(browser, agent.base, COUNT_NOTES) as arrived:
        yield arrived


def test_each_side_sees_what_the_other_has_read(visitor: Visitor, agent: Agent) -> None:
    visitor.want_person()
    agent.take()
    expect(visitor.composer).to_have_attribute("placeholder", "Write a message…")
    visitor.say("Can you see this?")
    seen = visitor.log.locator(".message.visitor .seen")
    expect(seen).to_have_text("Seen")

    visitor.page.keyboard.press("Escape")
    agent.say("I can.")
    expect(visitor.launcher).to_have_accessible_name("Open chat, 1 new")
    expect(agent.page.get_by_text("Read by the visitor")).to_have_count(0)
    visitor.launcher.click()
    expect(agent.page.get_by_text("Read by the visitor")).to_have_count(1)
    expect(seen).to_have_count(0)


def test_a_closed_chat_counts_what_is_new_also_on_the_next_page(visitor: Visitor, agent: Agent) -> None:
    visitor.want_person()
    agent.take()
    expect(visitor.handler).to_have_text("With our team")
    visitor.page.keyboard.press("Escape")
    agent.say("one")
    expect(visitor.launcher).to_have_accessible_name("Open chat, 1 new")

    visitor.page.reload()
    expect(visitor.launcher).to_have_accessible_name("Open chat, 1 new")
    agent.say("two")
    expect(visitor.launcher).to_have_accessible_name("Open chat, 2 new")
    visitor.launcher.click()
    expect(visitor.replies("person")).to_have_count(2)
    expect(visitor.launcher).to_have_accessible_name("Close chat")


def test_a_message_sounds_only_once_the_visitor_has_switched_it_on(visitor: Visitor, agent: Agent) -> None:
    visitor.want_person()
    agent.take()
    agent.say("quietly")
    expect(visitor.replies("person")).to_have_count(1)
    assert visitor.page.evaluate("window.notes") == 0

    visitor.page.get_by_role("button", name="More options").click()
    switch = visitor.page.get_by_role("switch", name="Sound for new messages")
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    agent.say("aloud")
    expect(visitor.replies("person")).to_have_count(2)
    assert visitor.page.evaluate("window.notes") == 2


def test_an_earlier_conversation_is_found_again_and_goes_on(visitor: Visitor, agent: Agent) -> None:
    visitor.say(DOMAIN)
    expect(visitor.replies("answered")).to_have_count(1)
    visitor.want_person()
    agent.take()
    agent.say("It is connected now.")
    agent.resolve()
    expect(visitor.page.locator(".closed")).to_be_visible()
    visitor.choose("Start a new conversation")
    expect(visitor.log.locator(".message")).to_have_count(0)
    visitor.say("How do I refund a customer?")
    expect(visitor.log.locator(".message.assistant")).to_have_count(1)

    visitor.choose("Your conversations")
    lines = visitor.page.locator(".past-line")
    expect(lines).to_have_count(2)
    expect(lines.filter(has_text="open now")).to_contain_text("How do I refund a customer?")
    lines.filter(has_text=DOMAIN[:30]).click()

    expect(visitor.replies("person")).to_contain_text("It is connected now.")
    answer = visitor.replies("answered")
    answer.get_by_role("button", name="Source 1:").first.click()
    expect(answer.locator("details[open] .excerpt").first).to_be_visible()
    visitor.page.get_by_role("button", name="Continue this conversation").click()
    expect(visitor.events.last).to_contain_text("Your request is with our team")
    expect(agent.queue).to_contain_text(DOMAIN[:30])


def words(mailbox: Mailbox, number: int) -> str:
    content = mailbox.got[number].content
    assert isinstance(content, bytes)
    message = message_from_bytes(content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return str(message.get_content())


def test_a_transcript_is_downloaded_or_sent(visitor: Visitor, agent: Agent, mailbox: Mailbox) -> None:
    visitor.want_person()
    agent.take()
    agent.say("All good now.")
    expect(visitor.replies("person")).to_have_count(1)
    with visitor.page.expect_download() as download:
        visitor.choose("Download transcript")
    assert "All good now." in Path(download.value.path()).read_text(encoding="utf-8")

    visitor.choose("E-mail transcript")
    address = visitor.page.get_by_label("Where should we send the transcript?")
    expect(address).to_be_focused()
    address.fill("ines@example")
    visitor.page.get_by_role("button", name="Send transcript").click()
    expect(visitor.page.locator(".mail-form .wrong")).to_contain_text("such as name@example.com")
    address.fill("ines@example.com")
    visitor.page.get_by_role("button", name="Send transcript").click()
    code = visitor.page.get_by_label("ines@example.com")
    expect(code).to_be_focused()
    eventually(visitor.page, lambda: len(mailbox.got), 1)
    (digits,) = re.findall(r"^(\d{6})\r?$", words(mailbox, 0), re.M)
    code.fill(digits)
    visitor.page.get_by_role("button", name="Send transcript").click()
    expect(visitor.status).to_contain_text("on its way to ines@example.com")
    expect(visitor.composer).to_be_focused()
    eventually(visitor.page, lambda: len(mailbox.got), 2)
    assert "All good now." in words(mailbox, 1)
    assert [envelope.rcpt_tos for envelope in mailbox.got] == [["ines@example.com"]] * 2


def test_the_desk_sees_what_the_page_said_apart_from_what_was_signed(visitor: Visitor, agent: Agent) -> None:
    token = sign(SECRET, {"customer_id": "cus_1", "plan": "Studio"}, time.time() + 600)
    visitor.page.evaluate(
        "(token) => { handrail('setUser', { name: 'Ines' });"
        " handrail('setContext', { token, data: { cart_eur: 42, plan: 'Enterprise' } }); }",
        token,
    )
    visitor.want_person()
    agent.queue.first.click()

    side = agent.page.locator(".side")
    signed = side.locator("h3:has-text('Signed by your server') + dl")
    said = side.locator("h3:has-text('Sent by the page') + dl")
    expect(signed).to_contain_text("Studio")
    expect(signed).not_to_contain_text("Enterprise")
    expect(said).to_contain_text("Ines")
    expect(said).to_contain_text("42")


def test_both_sides_have_the_same_order(visitor: Visitor, agent: Agent) -> None:
    """The visitor's message is on its way while the agent's arrives: the records say which came first."""
    visitor.want_person()
    agent.take()
    expect(visitor.handler).to_have_text("With our team")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    visitor.page.route("**/chat/stream", hold)
    visitor.say("second")
    agent.say("first")
    expect(visitor.replies("person")).to_have_count(1)

    eventually(visitor.page, lambda: len(held), 1)
    held[0].continue_()
    expect(agent.messages).to_contain_text("second")

    said = visitor.log.locator(".message.visitor, [data-routing=person]")
    expect(said).to_have_text([re.compile("first"), re.compile("second")])
    expect(visitor.log.locator(".message.visitor .seen")).to_have_text("Seen")
