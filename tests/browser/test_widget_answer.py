"""What can be done with an answer: rated, with a reason, and copied."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.chat import Chat

pytestmark = pytest.mark.browser


def test_a_thumb_down_asks_for_the_reason_and_sends_it(chat: Chat) -> None:
    chat.open()
    answer = chat.ask("domain")

    answer.get_by_role("button", name="Not helpful").click()
    answer.get_by_role("radio", name="Something is missing").check()
    answer.get_by_label("Anything to add?").fill("Which registrar?")
    answer.get_by_role("button", name="Send feedback").click()

    expect(answer).to_contain_text("that helps us")
    expect(answer.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")
    [asked], [sent] = chat.site.sent_to("/ask"), chat.site.sent_to("/feedback")
    assert sent == {
        "turn_id": asked["turn_id"],
        "conversation_id": "c-1",
        "rating": "down",
        "reason": "incomplete",
        "comment": "Which registrar?",
    }


def test_feedback_that_does_not_arrive_says_so_and_is_not_shown_as_given(chat: Chat) -> None:
    chat.site.feedback_status = 503
    chat.open()
    answer = chat.ask("domain")

    answer.get_by_role("button", name="Helpful", exact=True).click()

    expect(answer).to_contain_text("couldn’t send your feedback")
    expect(answer.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "false")


def test_a_thumb_up_leaves_the_focus_where_it_is(chat: Chat) -> None:
    answer = chat.open().ask("domain")
    good = answer.get_by_role("button", name="Helpful", exact=True)
    good.focus()

    chat.page.keyboard.press("Enter")

    expect(good).to_have_attribute("aria-pressed", "true")
    expect(good).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_reasons_are_opened_used_and_left_by_keyboard(chat: Chat, width: int) -> None:
    chat.page.set_viewport_size({"width": width, "height": 800})
    answer = chat.open().ask("domain")
    bad = answer.get_by_role("button", name="Not helpful")
    expect(bad).to_have_attribute("aria-expanded", "false")
    bad.focus()
    chat.page.keyboard.press("Enter")
    expect(answer.get_by_role("radio", name="It’s wrong")).to_be_focused()
    expect(bad).to_have_attribute("aria-expanded", "true")
    answer.get_by_label("Anything to add?").fill("half a thought")

    chat.page.keyboard.press("Escape")

    expect(bad).to_be_focused()
    expect(bad).to_have_attribute("aria-expanded", "false")
    expect(answer.get_by_role("radio")).to_have_count(0)
    chat.page.keyboard.press("Enter")
    expect(answer.get_by_label("Anything to add?")).to_have_value("half a thought")
    answer.get_by_role("button", name="Send feedback").press("Enter")
    expect(bad).to_be_focused()
    expect(bad).to_have_attribute("aria-expanded", "false")
    expect(bad).to_have_attribute("aria-pressed", "true")


def test_reasons_that_cannot_be_fetched_are_said_and_can_be_asked_for_again(chat: Chat) -> None:
    chat.page.route("**/more.js*", lambda route: route.abort())
    answer = chat.open().ask("domain")
    bad = answer.get_by_role("button", name="Not helpful")

    bad.click()

    expect(answer).to_contain_text("We couldn’t send your feedback.")
    expect(bad).to_have_attribute("aria-expanded", "false")
    chat.page.unroute("**/more.js*")
    bad.click()
    expect(answer.get_by_role("radio")).to_have_count(5)
    expect(answer).not_to_contain_text("couldn’t send your feedback")


def test_whoever_went_on_writing_is_not_called_back_to_the_reasons(chat: Chat) -> None:
    answer = chat.open().ask("domain")

    def meanwhile(route: Route) -> None:
        chat.composer.focus()
        route.continue_()

    chat.page.route("**/more.js*", meanwhile)
    answer.get_by_role("button", name="Not helpful").click()

    expect(answer.get_by_role("radio")).to_have_count(5)
    expect(chat.composer).to_be_focused()


def test_the_reasons_are_in_the_words_of_the_language_and_of_the_operator(chat: Chat) -> None:
    chat.site.config["strings"] = {"bad_why": "Was hat gefehlt?"}
    chat.visit("?lang=de").launcher.click()
    chat.page.get_by_label("Ihre Frage").fill("domain")
    chat.page.keyboard.press("Enter")
    answer = chat.replies.first

    answer.get_by_role("button", name="Nicht hilfreich").click()

    expect(answer.get_by_role("group", name="Was hat gefehlt?")).to_be_visible()
    expect(answer.get_by_role("radio", name="Sie ist falsch")).to_be_visible()


def copied(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def copy_of(chat: Chat, answer: str, **changes: object) -> str:
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.site.change(answer=answer, **changes)
    button = chat.open().ask("domain").get_by_role("button", name="Copy answer")
    button.click()
    expect(button).to_have_attribute("title", "Copied")
    return copied(chat.page)


def test_an_answer_is_copied_as_it_is_written_in_a_letter(chat: Chat) -> None:
    """Without citations, bold and code marks; with the steps' numbers and the links' addresses."""
    answer = (
        "Connect it **by records** [1]:\n\n1. Open **Settings** [1][2].\n2. Add `@` [2]. It may\ntake:\n"
        "   - an hour\n   - or two\n3. See [the article](https://help.tillwick.example/a).\n\n"
        "Or write to <ines@example.com>, https://help.tillwick.example/b."
    )

    assert copy_of(chat, answer) == (
        "Connect it by records:\n\n1. Open Settings.\n2. Add @. It may take:\n   - an hour\n   - or two\n"
        "3. See the article (https://help.tillwick.example/a).\n\nOr write to <ines@example.com>, https://help.tillwick.example/b."
    )


def test_a_copied_table_keeps_its_rows_and_steps_that_go_on_keep_their_numbers(chat: Chat) -> None:
    answer = "### Prices\n\n| Plan | Price |\n|---|---|\n| **Studio** | 29 € [1] |\n\n4. Save.\n5. Done."

    assert copy_of(chat, answer) == "Prices\n\nPlan | Price\nStudio | 29 €\n\n4. Save.\n5. Done."


def test_a_link_that_may_not_be_followed_is_not_copied_either(chat: Chat) -> None:
    answer = "See [this page](https://evil.example/x)."

    assert copy_of(chat, answer) == "See this page."


def test_a_downloaded_transcript_has_no_markup_and_names_its_sources(chat: Chat) -> None:
    chat.open().ask("domain")
    chat.panel.get_by_role("button", name="More options").click()

    with chat.page.expect_download() as download:
        chat.panel.get_by_role("button", name="Download transcript").click()

    text = download.value.path().read_text(encoding="utf-8")
    assert "1. Open Settings and choose Domains." in text
    assert re.search(r"2\. Add an A record for @ with the value 203\.0\.113\.20\. ?\[1\]", text)
    assert "**" not in text and "`" not in text
