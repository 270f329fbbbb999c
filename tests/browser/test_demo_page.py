"""A visitor on the demo page of the real application: real models, real index, real database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite
from tests.browser.real_site import serve_real_site
from tests.browser.test_widget_accessibility import violations

pytestmark = [pytest.mark.browser, pytest.mark.models]


@pytest.fixture(scope="module")
def real_site(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSite]:
    with serve_real_site(sample_index, tmp_path_factory.mktemp("records") / "r.db", per_minute=1000) as site:
        yield site


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser complains about: errors and warnings in its console, and answers that failed."""
    heard: list[str] = []
    page.on("console", lambda said: heard.append(said.text) if said.type in ("error", "warning") else None)
    page.on("response", lambda got: heard.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    return heard


@pytest.fixture
def visitor(page: Page, real_site: ContractSite, complaints: list[str]) -> Iterator[Chat]:
    yield Chat(page, real_site)
    assert complaints == []


def test_a_question_is_answered_with_sources_and_the_passage_behind_each_number(visitor: Chat) -> None:
    visitor.open()

    reply = visitor.ask("How do I set up a waitlist?")

    expect(reply).to_have_attribute("data-routing", "answered")
    expect(reply.get_by_role("list", name="Sources").get_by_role("link").first).to_have_attribute(
        "href", re.compile(r"^https://help\.tillwick\.example/bookings/waitlist")
    )
    reply.get_by_role("button", name=re.compile("^Source 1")).first.click()
    passage = reply.get_by_role("group", name="What the articles say").locator("details").first
    expect(passage).to_have_attribute("open", "")
    expect(passage.locator(".excerpt")).to_contain_text("waitlist", ignore_case=True)


def test_a_visitor_who_wants_to_leave_reaches_a_person_and_gets_a_reference(visitor: Chat) -> None:
    reply = visitor.open().ask("I want to cancel my plan")
    expect(reply).to_have_attribute("data-routing", "high_stakes")
    expect(reply.locator(".body p").first).to_contain_text("cancel")

    reply.get_by_role("button", name="Talk to a person").click()
    visitor.page.get_by_label("E-mail").fill("visitor@example.com")
    visitor.page.get_by_label("Message").fill("Please call me.")
    visitor.page.get_by_role("form", name="Talk to a person").get_by_role("button", name="Send to our team").click()

    expect(visitor.replies.last).to_contain_text(re.compile(r"HR-[0-9A-Z]{6}"))
    expect(visitor.replies.last).to_contain_text("Our support team is away at the moment.")


def test_mash_is_met_with_topics_that_ask(visitor: Chat) -> None:
    reply = visitor.open().ask("asdkjh qwoeiu zxmcnb")

    expect(reply).to_have_attribute("data-routing", "nonsense")
    topics = reply.get_by_role("list", name="Topics I can help with")
    expect(topics.get_by_role("button")).to_have_count(5)
    topics.get_by_role("button", name="Bookings").click()
    expect(visitor.page.locator(".message.visitor").last).to_contain_text("Bookings")
    expect(visitor.replies).to_have_count(2)


def test_the_suggestions_of_an_empty_chat_get_a_reply(visitor: Chat) -> None:
    visitor.open()

    visitor.panel.get_by_role("button", name="How do I refund a customer?").click()

    expect(visitor.replies.first).to_have_attribute("data-routing", re.compile("answered"))


def test_the_conversation_survives_a_reload(visitor: Chat) -> None:
    visitor.open().ask("How do I add a favicon?")

    visitor.page.reload()

    expect(visitor.panel.get_by_text("How do I add a favicon?")).to_be_visible()
    expect(visitor.replies).to_have_count(1)


def test_the_pages_of_the_dashboard_keep_the_chat(visitor: Chat) -> None:
    visitor.open().ask("How do I add a favicon?")

    visitor.page.evaluate("location.hash = '#/store'")

    expect(visitor.page.get_by_role("link", name="Store")).to_have_attribute("aria-current", "page")
    expect(visitor.replies).to_have_count(1)


def test_too_many_questions_are_told_when_to_ask_again(
    sample_index: Path, tmp_path: Path, page: Page, complaints: list[str]
) -> None:
    with serve_real_site(sample_index, tmp_path / "r.db", per_minute=1) as site:
        visitor = Chat(page, site)
        visitor.open().ask("asdkjh qwoeiu zxmcnb")

        visitor.send("How do I add a favicon?")

        notice = visitor.panel.get_by_role("alert").filter(has_text="You can ask again")
        expect(notice).to_be_visible()
        expect(visitor.composer).to_have_value("How do I add a favicon?")
        page.goto("about:blank")

    assert any(complaint.startswith("429 ") for complaint in complaints)
    assert all("429" in complaint for complaint in complaints)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_demo_page_is_accessible(
    browser: Browser, real_site: ContractSite, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", color_scheme=scheme)
    try:
        chat = Chat(context.new_page(), real_site).visit()
        expect(chat.launcher).to_be_visible()
        assert violations(chat.page, whole_page=True) == []
        chat.launcher.click()
        chat.ask("How do I set up a waitlist?")
        assert violations(chat.page, whole_page=True) == []
    finally:
        context.close()
