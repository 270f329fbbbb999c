"""When a question cannot go through, nothing typed is lost and a person stays in reach."""

import json
import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Route, expect
from starlette.responses import JSONResponse, Response

from tests.browser.chat import Chat
from tests.browser.contract_site import limited


def refusal(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}, "request_id": "r-1"}, status)


def test_too_many_questions_names_the_time_and_keeps_the_question(chat: Chat) -> None:
    chat.site.ask = lambda _body: limited(120)
    chat.open()
    now = datetime.now()

    chat.send("How do I connect my domain?")

    notice = chat.panel.get_by_role("alert").filter(has_text="You can ask again")
    expect(notice).to_be_visible()
    said = re.search(r"\b(\d\d:\d\d)\b", notice.inner_text())
    expected = {(now + timedelta(minutes=minutes)).strftime("%H:%M") for minutes in (2, 3)}
    assert said and said[1] in expected
    expect(chat.composer).to_have_value("How do I connect my domain?")
    expect(chat.page.locator(".message")).to_have_count(0)
    notice.get_by_role("button", name="talk to a person").click()
    expect(chat.page.get_by_role("form", name="Talk to a person")).to_be_visible()


def test_a_limit_that_ends_tomorrow_says_so(chat: Chat) -> None:
    chat.page.clock.set_fixed_time(datetime(2026, 3, 4, 22, 0))
    chat.site.ask = lambda _body: limited(11 * 3600)

    chat.open().send("domain")

    expect(chat.panel.locator(".notice")).to_contain_text("You can ask again tomorrow at 09:00")


def test_a_limit_that_is_over_says_so(chat: Chat) -> None:
    chat.page.clock.install()
    chat.site.ask = lambda _body: limited(600)

    chat.open().send("domain")

    expect(chat.panel.locator(".notice.limited")).to_be_visible()
    chat.page.clock.fast_forward(601_000)
    expect(chat.panel.locator(".notice")).to_have_text("You can ask again now.")


def test_a_lost_connection_is_tried_again_as_the_same_turn(chat: Chat) -> None:
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or "{}")["turn_id"])
        route.abort()

    chat.open()
    chat.page.route("**/chat/stream", lose)
    chat.send("How do I connect my domain?")
    again = chat.page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    expect(chat.page.locator(".failure")).to_contain_text("didn’t get through")
    chat.page.unroute("**/chat/stream")

    again.click()

    expect(chat.replies).to_have_count(1)
    expect(again).to_have_count(0)
    expect(chat.page.locator(".message.visitor")).to_have_count(1)
    assert [body["turn_id"] for body in chat.site.sent_to("/ask")] == sent
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", sent[0])


@pytest.mark.parametrize("status", [500, 502])
def test_a_server_in_trouble_can_be_tried_again(chat: Chat, status: int) -> None:
    chat.site.ask = lambda _body: refusal(status, "busy", "Busy.")

    chat.open().send("domain")

    expect(chat.page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_question_that_is_refused_comes_back_with_the_reason(chat: Chat) -> None:
    chat.site.ask = lambda _body: refusal(422, "validation", "Please write at least one letter.")

    chat.open().send("???")

    expect(chat.panel.locator(".notice")).to_contain_text("Please write at least one letter.")
    expect(chat.composer).to_have_value("???")


def test_a_question_over_the_limit_is_counted_explained_and_kept(chat: Chat) -> None:
    chat.site.config["limits"] = {"max_question_chars": 100}
    chat.open()

    chat.composer.fill("x" * 85)
    expect(chat.panel.locator(".counter")).to_have_text("85 of 100 characters")
    chat.composer.fill("x" * 103)
    expect(chat.panel.locator(".counter")).to_contain_text("3 characters over")
    chat.composer.press("Enter")

    expect(chat.composer).to_have_value("x" * 103)
    expect(chat.composer).to_have_attribute("aria-invalid", "true")
    assert chat.site.sent_to("/ask") == []


def test_a_second_question_waits_for_the_first(chat: Chat) -> None:
    chat.site.go.clear()
    chat.open().send("domain")

    chat.send("fax")

    expect(chat.composer).to_have_value("fax")
    expect(chat.page.locator(".message.visitor")).to_have_count(1)
    chat.site.go.set()
    expect(chat.replies).to_have_count(2)
    assert [body["question"] for body in chat.site.sent_to("/ask")] == ["domain", "fax"]


def test_a_later_turn_belongs_to_the_same_conversation(chat: Chat) -> None:
    chat.open().ask("domain")
    chat.ask("fax")

    first, second = chat.site.sent_to("/ask")
    assert len(first["conversation_id"]) == 36
    assert second["conversation_id"] == "c-1"
    assert first["turn_id"] != second["turn_id"]


@pytest.mark.parametrize("body", [[], {}, {"answer": 7, "citations": "x", "sources": [None, 3], "escalation": []}])
def test_a_malformed_reply_breaks_nothing(chat: Chat, body: object) -> None:
    chat.site.ask = lambda _body: JSONResponse(body)
    chat.open()

    chat.ask("domain")
    chat.site.ask = None

    expect(chat.ask("fax")).to_have_attribute("data-routing", "cannot_answer")
