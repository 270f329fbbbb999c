"""Who a visitor is: the work before the first message, and a duplicated tab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite
from tests.browser.real_site import serving
from tests.clock import Clock

LATER = "Date.now = ((now) => () => now() + 900_000)(Date.now)"
"""A quarter of an hour, for one tab."""


@dataclass
class Served:
    site: ContractSite
    assistant: ScriptedAssistant
    clock: Clock


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Asks new visitors for work."""
    assistant, clock = ScriptedAssistant(), Clock(1_800_000_000.0)
    settings = settings_in(tmp_path_factory.mktemp("var"), limits={"proof_of_work": 3_000})
    with serving(create_app(settings, assistant, clock)) as base:
        yield Served(ContractSite(url=f"{base}/demo"), assistant, clock)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context()
    yield made
    made.close()


def scripts_of(page: Page) -> list[str]:
    names: list[str] = []
    page.on("request", lambda request: names.append(request.url.split("?")[0].rsplit("/", 1)[-1]))
    return names


def ask(chat: Chat, question: str) -> None:
    chat.composer.fill(question)
    chat.composer.press("Enter")
    expect(chat.replies.last).to_contain_text("Open Settings and choose Domains")
    chat.over()


def test_the_work_is_done_with_the_first_message_and_nobody_notices(served: Served, context: BrowserContext) -> None:
    page = context.new_page()
    fetched = scripts_of(page)
    chat = Chat(page, served.site).open()
    assert "proof.js" not in fetched and "visitor" not in fetched

    ask(chat, "How do I connect a domain?")
    ask(chat, "And another?")

    assert (fetched.count("proof.js"), fetched.count("visitor"), fetched.count("stream")) == (1, 2, 2)
    expect(chat.panel.get_by_role("alert")).to_have_count(0)


def test_without_it_nothing_more_is_fetched(chat: Chat) -> None:
    fetched = scripts_of(chat.page)
    chat.open().ask("How do I connect a domain?")

    assert "visitor" in fetched and "proof.js" not in fetched


def test_a_duplicated_tab_stays_in_the_conversation_when_the_other_exchanges_the_token(
    served: Served, context: BrowserContext
) -> None:
    served.assistant.asked.clear()
    first = Chat(context.new_page(), served.site).open()
    ask(first, "One?")
    kept = first.page.evaluate("JSON.stringify({ ...sessionStorage })")
    copied = "for (const [key, value] of Object.entries(%s)) sessionStorage.setItem(key, value)" % kept  # noqa: UP031
    context.add_init_script(f"if (!sessionStorage.length) {copied}")
    second = Chat(context.new_page(), served.site).visit()
    expect(second.replies).to_have_count(1)

    first.page.evaluate(LATER)
    ask(first, "Two?")
    served.clock.now += 90
    ask(second, "Three?")
    second.page.evaluate(LATER)
    second.page.evaluate(LATER)
    ask(second, "Four?")
    served.clock.now += 90
    ask(first, "Five?")

    assert [question.text for question in served.assistant.asked] == ["One?", "Two?", "Three?", "Four?", "Five?"]
    assert len({question.conversation_id for question in served.assistant.asked}) == 1
