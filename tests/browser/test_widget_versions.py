"""A question asked again in other words, and an answer in another version; what was before can be gone back to."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat

pytestmark = pytest.mark.browser


def test_answering_again_keeps_the_first_version_to_go_back_to(chat: Chat) -> None:
    chat.open()
    chat.ask("domain")
    chat.site.change(answer="Second thoughts.")

    chat.replies.last.get_by_role("button", name="Answer again").click()

    expect(chat.replies).to_have_count(1)
    expect(chat.replies.first).to_contain_text("Second thoughts.")
    versions = chat.page.locator(".versions")
    expect(versions).to_contain_text("Version 2 of 2")
    chat.page.get_by_role("button", name="Previous version").click()
    expect(chat.replies.first).to_contain_text("Connect it by records")
    expect(versions).to_contain_text("Version 1 of 2")
    assert len(chat.site.sent_to("/ask")) == 2


def test_an_edited_question_starts_a_branch_and_what_followed_is_kept_in_the_other(chat: Chat) -> None:
    chat.open()
    chat.ask("domain")
    chat.ask("deposit")

    chat.page.get_by_role("button", name="Edit question").first.click()
    box = chat.page.get_by_role("textbox", name="Edit question")
    expect(box).to_be_focused()
    box.fill("fax")
    chat.page.get_by_role("button", name="Send again").click()

    expect(chat.replies).to_have_count(1)
    expect(chat.replies.first).to_contain_text("fax")
    chat.page.reload()
    expect(chat.page.locator(".versions")).to_contain_text("Version 2 of 2")
    chat.page.get_by_role("button", name="Previous version").click()
    expect(chat.replies).to_have_count(2)
    last = chat.site.sent_to("/ask")[-1]
    assert last["question"] == "fax"
    assert last["follows"] is None


def test_enter_sends_an_edited_question_and_shift_enter_breaks_its_line(chat: Chat) -> None:
    chat.open()
    chat.ask("domain")

    chat.page.get_by_role("button", name="Edit question").click()
    box = chat.page.get_by_role("textbox", name="Edit question")
    box.fill("fax")
    box.press("Shift+Enter")
    box.press_sequentially("machine")
    box.press("Enter")

    expect(chat.replies.first).to_contain_text("fax")
    assert chat.site.sent_to("/ask")[-1]["question"] == "fax\nmachine"


def test_a_follow_up_says_which_turn_it_goes_on_from(chat: Chat) -> None:
    chat.open()
    chat.ask("domain")
    chat.ask("deposit")

    first, second = chat.site.sent_to("/ask")
    assert second["follows"] == first["turn_id"]


def test_only_what_the_assistant_was_asked_can_be_asked_in_other_words(chat: Chat) -> None:
    chat.open()
    chat.ask("domain")
    chat.ask("owned")
    chat.send("still owned")
    expect(chat.page.locator(".delivered")).to_be_visible()
    for _ in range(2):
        pencils = chat.page.get_by_role("button", name="Edit question")
        expect(pencils).to_have_count(1)
        expect(chat.page.locator(".message.visitor").first.locator(".edit")).to_be_visible()
        chat.page.reload()
        expect(chat.replies).to_have_count(2)


@pytest.mark.parametrize("width", [1280, 390])
def test_escape_leaves_the_editing_of_a_question_and_not_the_chat(chat: Chat, width: int) -> None:
    """On a phone's width the panel is modal, and Escape would close it by itself."""
    chat.page.set_viewport_size({"width": width, "height": 800})
    chat.open()
    chat.ask("domain")
    edit = chat.page.get_by_role("button", name="Edit question")
    edit.click()
    box = chat.page.get_by_role("textbox", name="Edit question")
    expect(box).to_be_focused()
    chat.page.keyboard.press("Escape")

    expect(box).to_have_count(0)
    expect(edit).to_be_focused()
    expect(chat.panel).to_be_visible()
