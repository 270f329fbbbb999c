"""Two real pages before the real application: a visitor in the widget, an agent at the desk."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from handrail.commands.desk import demo_agent
from tests.browser.real_site import serve_real_site
from tests.sample import sample_settings

pytestmark = [pytest.mark.browser, pytest.mark.models]

ANGRY = "You charged me twice and nobody helps. Cancel my subscription and give me my money back, now!"
SLOW_MS = 30_000


@dataclass
class Agent:
    page: Page
    base: str

    @property
    def composer(self) -> Locator:
        return self.page.locator(".desk-composer textarea")

    def sign_in(self, email: str, password: str) -> None:
        self.page.goto(f"{self.base}/desk")
        self.page.get_by_label("E-mail").fill(email)
        self.page.get_by_label("Password").fill(password)
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("Nobody is waiting")).to_be_visible()

    def do(self, name: str) -> None:
        self.page.locator(".actions").get_by_role("button", name=name).click()

    def say(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.page.locator(".messages")).to_contain_text(text)


@dataclass
class Visitor:
    page: Page

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log")

    @property
    def composer(self) -> Locator:
        return self.page.get_by_label("Your question")

    def open(self, base: str) -> None:
        self.page.goto(f"{base}/demo/")
        self.page.locator("handrail-widget .launcher").click()
        expect(self.composer).to_be_focused()

    def say(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")

    def want_person(self) -> None:
        self.page.locator("header").get_by_role("button", name="Talk to a person").click()
        self.page.get_by_role("button", name="Send to our team").click()
        expect(self.log).to_contain_text("HR-")


@pytest.fixture
def sides(browser: Browser, sample_index: Path, tmp_path: Path) -> Iterator[tuple[Visitor, Agent]]:
    records = tmp_path / "r.db"
    settings = sample_settings(sample_index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}")
    # Playwright keeps an event loop on this thread, so the agent is added on another.
    with ThreadPoolExecutor(1) as thread:
        email, password = thread.submit(demo_agent, settings).result(30)
    with serve_real_site(sample_index, records, per_minute=1000) as site:
        base = site.url.removesuffix("/demo")
        visiting, working = browser.new_context(), browser.new_context()
        visitor, agent = Visitor(visiting.new_page()), Agent(working.new_page(), base)
        agent.sign_in(email, password)
        visitor.open(base)
        yield visitor, agent
        visiting.close()
        working.close()


def test_an_angry_cancellation_from_the_first_word_to_the_rating(sides: tuple[Visitor, Agent]) -> None:
    visitor, agent = sides
    visitor.say(ANGRY)
    expect(visitor.log.locator("[data-routing=high_stakes]")).to_be_visible(timeout=SLOW_MS)
    visitor.want_person()

    agent.page.locator(".row a").click()
    expect(agent.page.locator(".messages")).to_contain_text("You charged me twice")
    agent.do("Take")
    announced = visitor.log.locator(".event")
    expect(announced).to_have_count(1, timeout=SLOW_MS)
    expect(announced).to_contain_text("has taken over this conversation")
    expect(visitor.page.locator(".handler")).to_have_text("With our team")

    agent.say("I see both charges. One is a reservation.")
    expect(visitor.log.locator("[data-routing=person]")).to_contain_text("One is a reservation.", timeout=SLOW_MS)
    visitor.say("Thanks, when does it go away?")
    expect(agent.page.locator(".messages")).to_contain_text("when does it go away?", timeout=SLOW_MS)
    expect(visitor.log.locator("[data-routing=answered]")).to_have_count(0)
    agent.page.keyboard.press("Escape")
    agent.page.keyboard.press("n")
    agent.say("Checked with the bank.")
    agent.do("Hand back")
    expect(visitor.page.locator(".handler")).to_have_text("AI assistant", timeout=SLOW_MS)
    expect(visitor.log).not_to_contain_text("Checked with the bank.")

    visitor.say("How do I connect a domain I already own by DNS records?")
    expect(visitor.log.locator("[data-routing=answered]")).to_be_visible(timeout=SLOW_MS)

    agent.do("Resolve")
    agent.page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
    expect(visitor.page.locator(".closed")).to_be_visible(timeout=SLOW_MS)
    visitor.page.get_by_role("radio", name="4 out of 5").check(force=True)
    visitor.page.get_by_role("button", name="Send rating").click()
    expect(visitor.page.locator(".closed")).to_contain_text("Thank you for your rating.")


def test_a_person_as_the_very_first_wish_reaches_the_desk_and_a_reload_loses_nothing(
    sides: tuple[Visitor, Agent],
) -> None:
    visitor, agent = sides
    visitor.want_person()
    agent.page.locator(".row a").click()
    agent.do("Take")
    agent.say("Hello, how can I help?")
    expect(visitor.log.locator("[data-routing=person]")).to_contain_text("how can I help?", timeout=SLOW_MS)

    visitor.page.reload()
    expect(visitor.log.locator("[data-routing=person]")).to_have_count(1)
    agent.say("Are you still there?")
    expect(visitor.log.locator("[data-routing=person]")).to_have_count(2, timeout=SLOW_MS)
