"""A visitor in the widget and an agent at the desk, in their words; and an assistant whose answers can be held back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from handrail.assembly import Assistant
from handrail.cli.desk import demo_agent
from handrail.settings import Settings
from handrail.turn.watch import TurnWatch
from handrail.types import Outcome, Question, Turn
from tests.browser.real_site import serve_real_site
from tests.browser.waiting import PATIENCE_MS, eventually
from tests.sample import sample_settings

ANGRY = "You charged me twice and nobody helps. Cancel my subscription and give me my money back, now!"
DOMAIN = "How do I connect a domain I already own by DNS records?"


class Directed(Assistant):
    """The real assistant. `go` is cleared to hold back an answer that is written already; `says` replaces one."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.go = threading.Event()
        self.go.set()
        self.says: Outcome | None = None
        self.turns: list[Turn] = []

    async def ask(self, question: Question, watch: TurnWatch | None = None) -> Turn:
        turn = await super().ask(question, watch if self.says is None else None)
        await asyncio.to_thread(self.go.wait)
        turn = turn if self.says is None else replace(turn, outcome=self.says)
        self.turns.append(turn)
        return turn


@dataclass
class Agent:
    page: Page
    base: str

    @property
    def composer(self) -> Locator:
        return self.page.locator(".desk-composer textarea")

    @property
    def messages(self) -> Locator:
        return self.page.locator(".messages")

    @property
    def queue(self) -> Locator:
        return self.page.locator(".row a")

    def come_in(self, email: str, password: str, place: str = "") -> None:
        self.page.goto(f"{self.base}/desk/{place}")
        self.page.get_by_label("E-mail").fill(email)
        self.page.get_by_label("Password").fill(password)
        self.page.keyboard.press("Enter")

    def sign_in(self, email: str, password: str) -> None:
        self.come_in(email, password)
        expect(self.page.get_by_text("Nobody is waiting")).to_be_visible()

    @property
    def facts(self) -> Locator:
        return self.page.locator(".facts")

    def press(self, name: str) -> None:
        self.page.locator(".actions").get_by_role("button", name=name, exact=True).click()

    def open(self) -> None:
        """The only one who waits."""
        self.queue.first.click()
        expect(self.facts).to_be_visible()

    def take(self) -> None:
        """Opens the only one who waits, or takes the one that is open again; done once the server has said so."""
        if not self.facts.is_visible():
            self.open()
        self.press("Take")
        expect(self.facts).to_contain_text("With a person")
        expect(self.composer).to_be_visible()

    def hand_back(self) -> None:
        self.press("Hand back")
        expect(self.facts).to_contain_text("Handed back")

    def resolve(self) -> None:
        self.press("Resolve")
        self.page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
        expect(self.facts).to_contain_text("Resolved")

    def say(self, text: str) -> None:
        """Said once the server has it."""
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.messages.locator(".message:not(.now, .failed)").filter(has_text=text).last).to_be_visible()

    def note(self, text: str) -> None:
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("n")
        self.say(text)

    def clear(self) -> None:
        """An empty desk, as the next test finds it."""
        self.tidy()
        self.nobody_waits()

    def nobody_waits(self) -> None:
        self.page.goto(f"{self.base}/desk#/queue")
        expect(self.facts).to_have_count(0)
        expect(self.page.get_by_text("Nobody is waiting")).to_be_visible()

    def tidy(self) -> None:
        """Everything that is not resolved yet is, so that the next test finds an empty desk."""
        api, base = self.page.request, f"{self.base}/desk/api"
        csrf = api.get(f"{base}/me").json()["csrf"]

        def resolved() -> bool:
            left = api.get(f"{base}/conversations?state=queued,person,bot,handed_back&limit=100").json()["items"]
            for one in left:
                change = {"version": one["version"], "cause": "test"}
                api.post(f"{base}/conversations/{one['id']}/resolve", data=change, headers={"X-CSRF-Token": csrf})
            return not left

        eventually(self.page, resolved, True)


@dataclass
class Visitor:
    page: Page

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log")

    @property
    def composer(self) -> Locator:
        return self.page.get_by_label("Your question")

    @property
    def launcher(self) -> Locator:
        return self.page.locator("handrail-widget .launcher")

    @property
    def status(self) -> Locator:
        return self.page.locator("handrail-widget .status")

    @property
    def handler(self) -> Locator:
        return self.page.locator("handrail-widget .handler")

    @property
    def events(self) -> Locator:
        return self.log.locator(".event")

    @property
    def said(self) -> Locator:
        return self.log.locator(".message.visitor")

    @property
    def person_button(self) -> Locator:
        return self.page.locator("header").get_by_role("button", name="Talk to a person")

    def replies(self, routing: str) -> Locator:
        return self.log.locator(f"[data-routing={routing}]")

    def open(self, base: str) -> None:
        self.page.goto(f"{base}/demo/")
        self.launcher.click()
        expect(self.composer).to_be_focused()

    def say(self, text: str) -> None:
        before = self.said.count()
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.said).to_have_count(before + 1)
        expect(self.said.filter(has_text=text).last).to_be_visible()

    def handed_back(self) -> None:
        """The visitor was told that the assistant answers again."""
        expect(self.events.last).to_have_text("The assistant is answering again.")
        expect(self.handler).to_have_text("AI assistant")

    def want_person(self) -> None:
        self.person_button.click()
        self.send_form()

    def send_form(self) -> None:
        receipts = self.replies("handoff")
        before = receipts.count()
        self.page.get_by_role("button", name="Send to our team").click()
        expect(receipts).to_have_count(before + 1)

    def choose(self, name: str) -> None:
        self.page.get_by_role("button", name="More options").click()
        self.page.locator(".menu-list").get_by_role("button", name=name).click()


@contextmanager
def real_desk(browser: Browser, index: Path, records: Path, **site: Any) -> Iterator[Agent]:
    """The real application in this process, with an agent at its desk; `site` goes to `serve_real_site`."""
    person = add_agent(sample_settings(index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}"))
    with ExitStack() as stack:
        served = stack.enter_context(serve_real_site(index, records, per_minute=1000, **site))
        yield stack.enter_context(at_work(browser, served.url.removesuffix("/demo"), person))


@contextmanager
def at_work(browser: Browser, base: str, person: tuple[str, str]) -> Iterator[Agent]:
    """An agent, signed in by address and password, before an empty queue."""
    with own_page(browser) as page:
        agent = Agent(page, base)
        agent.sign_in(*person)
        yield agent


@contextmanager
def arriving(browser: Browser, base: str, script: str = "") -> Iterator[Visitor]:
    """A visitor with the chat open; `script` runs in the page before anything of it."""
    with own_page(browser) as page:
        if script:
            page.add_init_script(script)
        visitor = Visitor(page)
        visitor.open(base)
        yield visitor


def add_agent(settings: Settings) -> tuple[str, str]:
    """Playwright keeps an event loop on this thread, so the demo agent is added on another."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(demo_agent, settings).result(60)


@contextmanager
def own_page(browser: Browser) -> Iterator[Page]:
    """A page with cookies and storage of its own, that fails the test on an uncaught error."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert problems == []
