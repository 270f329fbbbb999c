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
from handrail.commands.desk import demo_agent
from handrail.settings import Settings
from handrail.types import Outcome, Question, Turn
from handrail.watch import TurnWatch
from tests.browser.real_site import serve_real_site
from tests.sample import sample_settings

ANGRY = "You charged me twice and nobody helps. Cancel my subscription and give me my money back, now!"
DOMAIN = "How do I connect a domain I already own by DNS records?"
LONG_MS = 30_000
"""A busy machine is no failure."""


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

    def sign_in(self, email: str, password: str) -> None:
        self.page.goto(f"{self.base}/desk")
        self.page.get_by_label("E-mail").fill(email)
        self.page.get_by_label("Password").fill(password)
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("Nobody is waiting")).to_be_visible()

    def do(self, name: str) -> None:
        self.page.locator(".actions").get_by_role("button", name=name, exact=True).click()

    def take(self) -> None:
        """The only one who waits."""
        self.queue.first.click()
        self.do("Take")
        expect(self.composer).to_be_visible()

    def resolve(self) -> None:
        self.do("Resolve")
        self.page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
        expect(self.page.locator(".facts")).to_contain_text("Resolved")

    def say(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.messages).to_contain_text(text)

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
        expect(self.page.get_by_text("Nobody is waiting")).to_be_visible()

    def tidy(self) -> None:
        """Everything that is not resolved yet is, so that the next test finds an empty desk."""
        api, base = self.page.request, f"{self.base}/desk/api"
        csrf = api.get(f"{base}/me").json()["csrf"]
        for one in api.get(f"{base}/conversations?state=queued,person,bot,handed_back&limit=100").json()["items"]:
            done = api.post(
                f"{base}/conversations/{one['id']}/resolve",
                data={"version": one["version"], "cause": "test"},
                headers={"X-CSRF-Token": csrf},
            )
            assert done.ok, done.text()


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
    def person_button(self) -> Locator:
        return self.page.locator("header").get_by_role("button", name="Talk to a person")

    def replies(self, routing: str) -> Locator:
        return self.log.locator(f"[data-routing={routing}]")

    def open(self, base: str) -> None:
        self.page.goto(f"{base}/demo/")
        self.launcher.click()
        expect(self.composer).to_be_focused()

    def say(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.log).to_contain_text(text)

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
        stack.enter_context(patiently())
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
def patiently() -> Iterator[None]:
    """Pages in other processes, models among them: what is expected may take its time."""
    expect.set_options(timeout=LONG_MS)
    try:
        yield
    finally:
        expect.set_options(timeout=5_000)


@contextmanager
def own_page(browser: Browser) -> Iterator[Page]:
    """A page with cookies and storage of its own, that fails the test on an uncaught error."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(LONG_MS)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert problems == []
