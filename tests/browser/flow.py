"""What a support team lives through every day, with one process or several."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.sides import ANGRY, DOMAIN, Agent, Visitor


def angry_cancellation(visitor: Visitor, agent: Agent) -> None:
    """Cancellation, hand-off, announcement, take, exchange, note, hand back, the bot answers, resolve, rating."""
    visitor.say(ANGRY)
    expect(visitor.replies("high_stakes")).to_be_visible()
    visitor.want_person()
    agent.open()
    expect(agent.messages).to_contain_text("You charged me twice")
    agent.take()
    expect(visitor.events).to_have_count(1)
    expect(visitor.events).to_contain_text("has taken over this conversation")
    expect(visitor.handler).to_have_text("With our team")
    expect(visitor.person_button).to_be_hidden()

    agent.say("I see both charges. One is a reservation.")
    expect(visitor.replies("person")).to_contain_text("One is a reservation.")
    visitor.say("Thanks, when does it go away?")
    expect(agent.messages).to_contain_text("when does it go away?")
    expect(visitor.log.locator(".delivered")).to_have_count(1)
    pencils = visitor.log.get_by_role("button", name="Edit question")
    expect(pencils).to_have_count(0)
    expect(visitor.log.get_by_text("has taken over this conversation")).to_have_count(1)
    expect(visitor.replies("answered")).to_have_count(0)
    agent.note("Checked with the bank.")
    agent.hand_back()
    visitor.handed_back()
    expect(visitor.person_button).to_be_visible()
    expect(visitor.log).not_to_contain_text("Checked with the bank.")

    visitor.say(DOMAIN)
    expect(visitor.replies("answered")).to_be_visible()
    expect(pencils).to_have_count(2)

    agent.resolve()
    expect(visitor.page.locator(".closed")).to_be_visible()
    visitor.page.get_by_role("radio", name="4 out of 5").check(force=True)
    visitor.page.get_by_role("button", name="Send rating").click()
    expect(visitor.page.locator(".closed")).to_contain_text("Thank you for your rating.")
    expect(agent.page.locator(".rated")).to_contain_text("4")
