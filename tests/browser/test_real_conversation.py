"""A conversation with the real application: streamed, stopped, resumed, asked again, edited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from handrail.settings import Settings
from tests.browser.chat import Chat
from tests.browser.real_site import Paced, serve_real_site
from tests.browser.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.models, pytest.mark.slow]

WAITLIST = "How do I set up a waitlist?"
REFUND = "How do I refund a customer?"


@pytest.fixture(scope="module")
def running(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Paced, str]]:
    made: list[Paced] = []

    def paced(settings: Settings) -> Paced:
        made.append(Paced(settings))
        return made[0]

    records = tmp_path_factory.mktemp("records") / "r.db"
    with serve_real_site(sample_index, records, per_minute=1000, assistant=paced) as site:
        yield made[0], site.url


@pytest.fixture
def paced(running: tuple[Paced, str]) -> Paced:
    assistant, _ = running
    assistant.pause_s, assistant.asked, assistant.cancelled = 0.0, 0, 0
    assistant.turns.clear()
    return assistant


@pytest.fixture
def visitor(page: Page, running: tuple[Paced, str]) -> Chat:
    from tests.browser.contract_site import ContractSite

    return Chat(page, ContractSite(url=running[1]))


def under_way(visitor: Chat, paced: Paced) -> None:
    """Waits until the assistant has been asked; the button to stop it is there before."""
    eventually(visitor.page, lambda: paced.asked, 1)


def test_an_answer_is_streamed_claim_by_claim_and_follow_ups_know_it(visitor: Chat, paced: Paced) -> None:
    with visitor.page.expect_response(re.compile(r"/chat/stream$")) as streamed:
        first = visitor.open().ask(WAITLIST)
    assert "text/event-stream" in streamed.value.headers["content-type"]
    expect(first).to_have_attribute("data-routing", "answered")

    visitor.ask("how do I turn it off?")

    assert [exchange.question for exchange in paced.turns[-1].question.history] == [WAITLIST]


def test_stop_cancels_the_turn_on_the_server(visitor: Chat, paced: Paced) -> None:
    paced.pause_s = 30
    visitor.open().send(WAITLIST)
    under_way(visitor, paced)

    visitor.page.get_by_role("button", name="Stop").click()

    expect(visitor.replies.first).to_contain_text("You stopped this answer.")
    paced.pause_s = 0.0
    expect(visitor.ask(REFUND)).to_have_attribute("data-routing", "answered")
    eventually(visitor.page, lambda: paced.cancelled, 1)
    assert paced.turns[-1].question.history == ()


def test_a_page_reloaded_while_the_answer_is_made_gets_it_without_asking_again(visitor: Chat, paced: Paced) -> None:
    paced.pause_s = 2
    visitor.open().send(WAITLIST)
    under_way(visitor, paced)

    visitor.page.reload()

    expect(visitor.replies.first).to_have_attribute("data-routing", "answered")
    assert paced.asked == 1


def test_an_edited_question_starts_a_branch_that_does_not_know_the_old_one(visitor: Chat, paced: Paced) -> None:
    visitor.open().ask(WAITLIST)
    visitor.ask("how do I turn it off?")

    visitor.page.get_by_role("button", name="Edit question").first.click()
    visitor.page.get_by_role("textbox", name="Edit question").fill(REFUND)
    visitor.page.get_by_role("button", name="Send again").click()
    expect(visitor.replies).to_have_count(1)
    expect(visitor.replies.first).to_contain_text("Refund")
    visitor.over()
    visitor.ask("how long does it take?")

    histories = [[exchange.question for exchange in turn.question.history] for turn in paced.turns]
    assert histories == [[], [WAITLIST], [], [REFUND]]


def test_an_answer_asked_for_again_does_not_know_its_first_version(visitor: Chat, paced: Paced) -> None:
    visitor.open().ask(WAITLIST)
    visitor.ask(REFUND)

    visitor.replies.last.get_by_role("button", name="Answer again").click()

    expect(visitor.page.locator(".versions")).to_contain_text("Version 2 of 2")
    expect(visitor.replies).to_have_count(2)
    visitor.over()
    assert [exchange.question for exchange in paced.turns[-1].question.history] == [WAITLIST]
