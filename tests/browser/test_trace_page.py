"""How an answer came about, before the real application: from the conversation to the page, and run again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.real_site import serve_real_site
from tests.browser.sides import Agent, add_agent
from tests.browser.waiting import PATIENCE_MS
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.slow]

TALK = "talk-1"
AGAIN_MS = 60_000


class Running(NamedTuple):
    base: str
    person: tuple[str, str]
    """Address and password of who works at the desk."""


@pytest.fixture
def running(sample_index: Path, tmp_path: Path) -> Iterator[Running]:
    """Two turns are answered, then the server starts again with another gate."""
    records = tmp_path / "r.db"
    person = add_agent(sample_settings(sample_index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}"))
    with serve_real_site(sample_index, records, per_minute=1000) as site:
        for question in ("How do I connect a domain by DNS records?", "And how do I remove it?"):
            body = {"question": question, "conversation_id": TALK}
            asked = httpx.post(site.url.removesuffix("/demo") + "/ask", json=body, timeout=60)
            assert asked.status_code == 200
    with serve_real_site(
        sample_index, records, per_minute=1000, overrides={"GATES__ANSWERED": "1", "GATES__CLOSEST": "1"}
    ) as site:
        yield Running(site.url.removesuffix("/demo"), person)


def test_a_lead_sees_how_an_answer_came_about_and_what_differs_today(browser: Browser, running: Running) -> None:
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    Agent(page, running.base).come_in(*running.person, f"#/queue/{TALK}")
    page.locator(".evidence summary").first.click()
    page.get_by_role("link", name="How this answer came about").first.click()

    expect(page.get_by_role("heading", name="How this answer came about")).to_be_visible()
    stages = page.locator(".stages > li")
    expect(stages.nth(0).get_by_role("heading", level=2)).to_have_text("Understand")
    expect(stages.nth(0)).to_contain_text("Answerable")
    expect(stages.nth(1).get_by_role("link", name="Connect a domain by DNS records").first).to_be_visible()

    page.get_by_role("button", name="Run again with today’s settings").click()
    changed = page.locator(".differences")
    expect(changed).to_contain_text("The settings have changed", timeout=AGAIN_MS)
    expect(changed.get_by_role("row", name="Limits: answered")).to_contain_text("1")
    expect(changed.get_by_role("row", name="Routing")).to_contain_text("Answered")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [f"{rule['id']}: {node['target']}" for rule in found for node in rule["nodes"]] == []
    page.set_viewport_size({"width": 375, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375

    page.get_by_role("link", name="Back to the conversation").click()
    expect(page.locator(".messages")).to_contain_text("And how do I remove it?")
    context.close()
