"""Whole sections in an answer: folded and unfolded, the sentence that answers marked, and cards that look closest."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from handrail.turn.present import response
from handrail.types import Outcome
from tests.api.scripted import turn_of
from tests.browser.chat import Chat
from tests.sections import ANSWERING, BOTH, CLOSEST, FROST_PASSAGE, ONE, WATER_PASSAGE, piece, whole
from tests.stages import ask as question
from tests.stages import passage

pytestmark = pytest.mark.browser

ALL_STEPS = "Show all 6 steps"


def sent(result: Outcome) -> dict[str, Any]:
    """As `/ask` sends it, in the conversation of the test."""
    return response(turn_of(replace(question(), conversation_id="c-1"), result))


def answered(chat: Chat, result: Outcome) -> Locator:
    chat.site.change(**sent(result))
    return chat.open().ask("How?")


def steps(reply: Locator) -> Locator:
    """Those that can be seen."""
    return reply.locator(".section li:visible")


def test_a_section_is_folded_until_the_rest_is_asked_for(chat: Chat) -> None:
    reply = answered(chat, ONE)

    expect(steps(reply)).to_have_count(4)
    last = reply.locator(".section").get_by_text("Close the tap.")
    expect(last).to_be_hidden()
    reply.get_by_role("button", name=ALL_STEPS).click()

    expect(steps(reply)).to_have_count(6)
    expect(reply.locator(".section ol")).to_have_count(1)
    expect(last).to_be_visible()


def test_it_is_unfolded_and_folded_by_keyboard_and_the_focus_stays(chat: Chat) -> None:
    reply = answered(chat, ONE)
    button = reply.locator(".unfold")
    expect(button).to_have_accessible_name(ALL_STEPS)
    expect(button).to_have_attribute("aria-expanded", "false")
    button.focus()

    chat.page.keyboard.press("Enter")

    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(steps(reply)).to_have_count(6)
    chat.page.keyboard.press("Space")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(button).to_have_accessible_name(ALL_STEPS)
    expect(steps(reply)).to_have_count(4)


def test_the_citation_follows_what_can_be_seen_of_its_section(chat: Chat) -> None:
    reply = answered(chat, ONE)
    cite = reply.locator(".section .cite")

    expect(steps(reply).last.locator(".cite")).to_be_visible()
    reply.get_by_role("button", name=ALL_STEPS).click()

    expect(cite).to_have_count(1)
    expect(steps(reply).nth(5).locator(".cite")).to_be_visible()
    cite.click()
    expect(reply.locator("details[open] summary")).to_contain_text(WATER_PASSAGE.title)


def test_a_fold_inside_a_paragraph_hides_the_rest_of_it(chat: Chat) -> None:
    prose = piece(WATER_PASSAGE, "🌱🌱🌱 First **this**. Then that.\n\nAnd more.", fold_at="Then that.")
    reply = answered(chat, whole((prose,), (WATER_PASSAGE,)))

    expect(reply.locator(".section")).to_have_text(re.compile(r"^🌱🌱🌱 First this\.\s*1$"), use_inner_text=True)
    reply.get_by_role("button", name="Show the rest").click()

    expect(reply.locator(".section")).to_have_text(
        re.compile(r"^🌱🌱🌱 First this\. Then that\.\s*And more\.\s*1$"), use_inner_text=True
    )
    expect(reply.get_by_role("button", name="Show less")).to_be_focused()


def test_offsets_count_characters_and_not_what_a_script_counts(chat: Chat) -> None:
    """Before every offset stand emoji, each of which a string of JavaScript counts twice."""
    reply = answered(chat, BOTH)

    expect(reply.locator("mark").first).to_be_visible()
    assert "".join(reply.locator("mark").all_inner_texts()) == ANSWERING.replace("**", "")
    expect(reply.locator(".body > p").first).to_have_text("Happy to help 🌼.")
    expect(reply.locator(".body > p").last).to_have_text("Enjoy the garden.")
    expect(steps(reply)).to_have_count(4)


def test_what_stands_around_sections_is_said_once_and_each_section_has_one_citation(chat: Chat) -> None:
    reply = answered(chat, BOTH)

    expect(reply.locator(".piece")).to_have_count(2)
    expect(reply.locator(".body").get_by_text("Happy to help")).to_have_count(1)
    expect(reply.locator(".body strong", has_text=FROST_PASSAGE.title)).to_be_visible()
    expect(reply.locator(".body .cite")).to_have_text(["1", "2"])
    expect(reply.locator(".piece").nth(1).locator("p").last.locator(".cite")).to_have_text("2")
    expect(reply.locator(".unfold")).to_have_count(1)
    expect(reply.locator(".passages details")).to_have_count(2)
    expect(reply.get_by_role("list", name="Sources").get_by_role("listitem")).to_have_count(2)


def test_a_table_a_link_and_code_are_marked_folded_and_cited_too(chat: Chat) -> None:
    text = (
        "See [the **plan**](https://help.example/plan) or run `water --all`. It takes an hour.\n\n"
        "| Bed | Minutes |\n|---|---|\n| Roses | 20 |\n| Herbs | 10 |\n\n```\nwater | tee log\n```"
    )
    source = passage("garden:beds/0", text, title="Beds")
    shown = piece(source, text, answers="It takes an hour.", fold_at="| Herbs")
    reply = answered(chat, whole((shown,), (source,)))

    expect(reply.locator("mark")).to_have_text("It takes an hour.")
    expect(reply.locator(".section tr:visible")).to_have_count(2)
    expect(reply.locator(".section td .cite")).to_be_visible()
    expect(reply.locator(".section pre")).to_be_hidden()
    reply.get_by_role("button", name="Show the rest").click()
    expect(reply.locator(".section tr:visible")).to_have_count(3)
    expect(reply.locator(".section pre")).to_have_text("water | tee log")
    expect(reply.locator(".section > span .cite")).to_be_visible()


@pytest.mark.parametrize("answering", [[6, 8], [5, 4], [400, 900], ["a", "b"], [1], "1-3", {}])
def test_a_range_that_does_not_fit_marks_nothing(chat: Chat, answering: Any) -> None:
    """The first is inside a link, whose Markdown cannot be cut there."""
    text = "See [the plan](https://help.example/plan)."
    source = passage("garden:beds/0", text, title="Beds")
    body = sent(whole((piece(source, text),), (source,)))
    body["pieces"][0]["answering"] = answering
    chat.site.change(**body)

    reply = chat.open().ask("How?")

    expect(reply.locator(".piece")).to_contain_text("See the plan.")
    expect(reply.locator(".piece .cite")).to_have_count(1)
    expect(reply.locator("mark")).to_have_count(0)


@pytest.mark.parametrize("span", [None, [3, 40], [900, 990], [4, 2], "all"])
def test_pieces_that_are_not_where_they_are_said_to_be_leave_the_whole_answer(chat: Chat, span: Any) -> None:
    body = sent(ONE)
    body["pieces"][0]["span"] = span
    chat.site.change(**body)

    reply = chat.open().ask("How?")

    expect(reply.locator(".body")).to_contain_text("Close the tap.")
    expect(reply.locator(".piece")).to_have_count(0)


def test_nothing_in_a_section_becomes_markup_or_a_link_to_elsewhere(chat: Chat) -> None:
    text = "<img src=x onerror=alert(1)> [to](https://evil.example/x) [here](javascript:alert(1)).\n\nMore <b>bold</b>."
    source = passage("garden:beds/0", text, title="Beds")
    reply = answered(
        chat, whole((piece(source, text, answers="<img src=x onerror=alert(1)>", fold_at="More"),), (source,))
    )

    reply.get_by_role("button", name="Show the rest").click()
    expect(reply.locator(".section img, .section b, .section a")).to_have_count(0)
    expect(reply.locator("mark")).to_contain_text("<img src=x onerror=alert(1)")


def test_sections_are_shown_in_the_language_of_the_page(chat: Chat) -> None:
    chat.site.change(**sent(ONE))
    chat.visit("?lang=de").launcher.click()
    chat.page.get_by_label("Ihre Frage").fill("Wie?")
    chat.page.keyboard.press("Enter")

    chat.replies.first.get_by_role("button", name="Alle 6 Schritte anzeigen").click()

    expect(chat.replies.first.get_by_role("button", name="Weniger anzeigen")).to_be_visible()


def test_without_the_part_that_draws_them_the_answer_is_whole(chat: Chat) -> None:
    chat.page.route("**/pieces.js*", lambda route: route.abort())

    reply = answered(chat, ONE)

    expect(reply.locator(".body")).to_contain_text("Close the tap.")
    expect(reply.locator(".body .cite")).to_have_count(1)


def card(reply: Locator, number: int) -> Locator:
    return reply.locator(".card").nth(number)


def test_the_closest_cards_stand_under_the_disclaimer_in_place_of_the_answer(chat: Chat) -> None:
    reply = answered(chat, CLOSEST)

    expect(reply.locator("> .disclaimer")).to_have_text(str(CLOSEST.disclaimer))
    expect(reply.get_by_role("heading")).to_have_text(["Winter › Hoses › Frost", "Water the beds › By timer"])
    expect(reply.get_by_text("A frozen hose bursts.")).to_have_count(1)
    expect(card(reply, 0).locator(".piece")).to_be_visible()
    expect(card(reply, 1).locator(".piece")).to_be_hidden()
    expect(reply.get_by_role("link")).to_have_count(0)
    expect(reply.locator(".cite, .passages, .sources")).to_have_count(0)


def test_cards_that_take_more_room_than_the_answer_did_are_in_view(chat: Chat) -> None:
    chat.site.change(**sent(CLOSEST))
    chat.open()
    for _ in range(2):
        reply = chat.ask("How?")
        expect(reply.locator(".card").last).to_be_in_viewport(ratio=1)


def test_sections_keep_their_own_direction_in_a_page_of_the_other(chat: Chat) -> None:
    chat.site.change(**sent(CLOSEST))
    chat.visit("?lang=ar").launcher.click()
    chat.page.locator("handrail-widget textarea").first.fill("?")
    chat.page.keyboard.press("Enter")

    directions = "(nodes) => nodes.map((node) => getComputedStyle(node).direction)"
    shown = chat.replies.first.locator(".card .section, .card h3 button")
    expect(shown).to_have_count(4)
    assert shown.evaluate_all(directions) == ["ltr"] * 4
    assert chat.replies.first.locator(".closest .label").evaluate_all(directions) == ["rtl"]


def test_a_card_is_opened_and_closed_in_place_by_keyboard(chat: Chat) -> None:
    reply = answered(chat, CLOSEST)
    button = card(reply, 1).get_by_role("button", name="Water the beds")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(card(reply, 0).get_by_role("button", name="Winter")).to_have_attribute("aria-expanded", "true")
    button.focus()

    chat.page.keyboard.press("Enter")

    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(card(reply, 1).locator("mark").first).to_be_visible()
    chat.page.keyboard.press("Tab")
    expect(card(reply, 1).get_by_role("button", name=ALL_STEPS)).to_be_focused()
    chat.page.keyboard.press("Enter")
    expect(steps(card(reply, 1))).to_have_count(6)
    button.press("Enter")
    expect(card(reply, 1).locator(".piece")).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize(("result", "drawn"), [(BOTH, ".unfold"), (CLOSEST, ".card")], ids=["pieces", "closest"])
def test_a_conversation_that_is_resumed_shows_the_same(chat: Chat, result: Outcome, drawn: str) -> None:
    reply = answered(chat, result)
    expect(reply.locator(drawn).first).to_be_visible()
    before = reply.locator(".bubble").inner_text()

    chat.page.reload()

    expect(chat.replies.first.locator(drawn).first).to_be_visible()
    assert chat.replies.first.locator(".bubble").inner_text() == before
    expect(chat.replies.first.locator("mark").first).to_be_attached()


def test_what_an_earlier_version_of_the_widget_kept_is_still_shown(chat: Chat) -> None:
    chat.open().ask("domain")
    chat.page.evaluate(
        """() => {
          const kept = JSON.parse(sessionStorage.getItem("handrail:pub_demo"));
          for (const { reply } of kept.entries) { delete reply?.pieces; delete reply?.closest; }
          sessionStorage.setItem("handrail:pub_demo", JSON.stringify(kept));
        }"""
    )

    chat.page.reload()

    expect(chat.replies.first).to_contain_text("Connect it by records")


@pytest.mark.parametrize(("result", "drawn"), [(BOTH, ".unfold"), (CLOSEST, ".card")], ids=["pieces", "closest"])
def test_an_earlier_conversation_shows_the_same(chat: Chat, result: Outcome, drawn: str) -> None:
    """As the server keeps it: a message, and beside it what `views.shown` says of its turn."""
    reply = answered(chat, result)
    before = reply.locator(".bubble").inner_text()
    body = sent(result)
    keys = ("turn_id", "routing", "disclaimer", "citations", "sources", "pieces", "closest")
    kept = {
        "conversation": {"id": "c-9", "state": "bot"},
        "messages": [
            {"seq": 1, "id": "m-1", "author": "visitor", "text": "How?", "at": 1},
            {"seq": 2, "id": "m-2", "author": "assistant", "text": body["answer"], "at": 2, "turn_id": body["turn_id"]},
        ],
        "turns": [{key: body[key] for key in keys}],
    }

    def conversations(route: Route) -> None:
        listed = {"items": [{"id": "c-9", "state": "bot", "subject": "An earlier one", "updated_at": 2}]}
        route.fulfill(json=kept if route.request.url.endswith("c-9") else listed)

    chat.page.route("**/conversations**", conversations)
    chat.panel.get_by_role("button", name="More options").click()
    chat.panel.get_by_role("button", name="Your conversations").click()
    chat.panel.get_by_role("button", name="An earlier one").click()

    expect(chat.replies.first.locator(drawn).first).to_be_visible()
    assert chat.replies.first.locator(".bubble").inner_text() == before


def test_a_copied_answer_and_a_transcript_hold_what_is_folded_and_the_closed_cards(chat: Chat) -> None:
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answered(chat, ONE).get_by_role("button", name="Copy answer").click()
    expect(chat.replies.first.get_by_role("button", name="Copy answer")).to_have_attribute("title", "Copied")
    assert "6. Close the tap." in chat.page.evaluate("navigator.clipboard.readText()")

    chat.site.change(**sent(CLOSEST))
    chat.ask("And in winter?")
    chat.panel.get_by_role("button", name="More options").click()
    with chat.page.expect_download() as download:
        chat.panel.get_by_role("button", name="Download transcript").click()

    text = download.value.path().read_text(encoding="utf-8")
    assert "6. Close the tap." in text
    assert "A frozen hose bursts." in text
    assert "- Water the beds › By timer" in text


def test_an_answer_with_sections_is_announced_once_and_complete(chat: Chat) -> None:
    """The live region gets the message in the form that stays: nothing is said that is folded right afterwards."""
    chat.site.change(**sent(ONE))
    chat.open()
    chat.page.evaluate(
        """() => {
          const log = document.querySelector("handrail-widget").shadowRoot.querySelector("[role=log]");
          window.heard = [];
          const hear = () => window.heard.push(log.querySelectorAll(".unfold").length);
          new MutationObserver(() => requestAnimationFrame(hear)).observe(log, { childList: true });
        }"""
    )
    chat.site.go.clear()
    with chat.page.expect_response("**/pieces.js*"):
        chat.send("How?")
    chat.site.go.set()

    expect(chat.replies).to_have_count(1)
    chat.over()
    expect(chat.replies.first.locator(".unfold")).to_have_count(1)
    heard = json.loads(chat.page.evaluate("JSON.stringify(window.heard)"))
    assert heard[-1] == 1


def test_a_mark_is_told_from_its_ground_in_forced_colours(chat: Chat) -> None:
    reply = answered(chat, ONE)
    chat.page.emulate_media(forced_colors="active")

    ground = (
        "(mark) => [getComputedStyle(mark).backgroundColor, getComputedStyle(mark.closest('.bubble')).backgroundColor]"
    )
    marked, around = reply.locator("mark").first.evaluate(ground)

    assert marked != around
