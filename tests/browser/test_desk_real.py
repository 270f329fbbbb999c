"""The desk before the real application: a visitor asks for a person through the API, an agent works in the browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.real_site import serve_real_site
from tests.browser.sides import Agent, add_agent
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.slow]

QUESTION = "You charged me twice, I want my money back now!"


class Running(NamedTuple):
    base: str
    person: tuple[str, str]
    """Address and password of who works at the desk."""


@pytest.fixture
def running(sample_index: Path, tmp_path: Path) -> Iterator[Running]:
    records = tmp_path / "r.db"
    person = add_agent(sample_settings(sample_index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}"))
    with serve_real_site(sample_index, records, per_minute=1000) as site:
        yield Running(site.url.removesuffix("/demo"), person)


class Visitor:
    """Somebody with a chat, by the public API."""

    def __init__(self, base: str) -> None:
        self.http = httpx.Client(base_url=base, timeout=60)
        token = self.http.post("/visitor", json={}).json()["token"]
        self.http.headers["Authorization"] = f"Bearer {token}"
        self.conversation = uuid4().hex

    def ask(self, question: str) -> dict[str, object]:
        body = {"question": question, "conversation_id": self.conversation}
        answered = self.http.post("/ask", json=body)
        assert answered.status_code == 200, answered.text
        self.conversation = answered.json()["conversation_id"]
        found: dict[str, object] = answered.json()
        return found

    def want_person(self) -> None:
        body = {"conversation_id": self.conversation, "reason": "visitor_request", "message": "A person, please."}
        assert self.http.post("/handoff", json=body).status_code == 201

    def leave(self) -> None:
        self.http.close()

    def read(self) -> str:
        return self.http.get(f"/conversations/{self.conversation}").text


@pytest.fixture
def visitor(running: Running) -> Iterator[Visitor]:
    """Asks first, so that the models are warm before the page is opened."""
    arrived = Visitor(running.base)
    yield arrived
    arrived.leave()


def test_a_conversation_from_the_hand_off_to_the_resolution(page: Page, running: Running, visitor: Visitor) -> None:
    assert visitor.ask(QUESTION)["routing"] == "high_stakes"
    Agent(page, running.base).come_in(*running.person)
    expect(page.get_by_text("Nobody is waiting")).to_be_visible()

    visitor.want_person()
    page.locator(".row a").click()
    expect(page.locator(".messages")).to_contain_text(QUESTION)
    page.locator(".evidence summary").click()
    expect(page.locator(".evidence .passages li").first).to_be_visible()
    page.locator(".actions").get_by_role("button", name="Take").click()
    composer = page.locator(".desk-composer textarea")
    composer.fill("I am looking at your invoice.")
    composer.press("Enter")
    expect(page.locator(".message.mine:not(.now)")).to_contain_text("I am looking at your invoice.")
    assert "I am looking at your invoice." in visitor.read()

    assert visitor.ask("Thank you, it was on the 3rd.")["routing"] == "handed_off"
    expect(page.locator(".messages")).to_contain_text("Thank you, it was on the 3rd.")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    composer.fill("Reservation, not a charge.")
    composer.press("Enter")
    expect(page.locator(".message.note")).to_contain_text("Reservation, not a charge.")
    assert "Reservation, not a charge." not in visitor.read()

    page.get_by_role("button", name="Reply", exact=True).click()
    page.get_by_role("button", name="Draft").click()
    expect(page.locator(".drafted")).to_have_text(
        re.compile("Drafted by the assistant|nothing to draft"), timeout=30_000
    )
    page.locator(".actions").get_by_role("button", name="Resolve").click()
    page.get_by_role("dialog").get_by_role("button", name="Resolve").click()

    expect(page.locator(".facts")).to_contain_text("Resolved")
    expect(page.get_by_text("Nobody is waiting")).to_be_visible()
