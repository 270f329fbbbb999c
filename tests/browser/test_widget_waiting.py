"""A server that is starting or busy is asked again when it says, and the visitor sees that it is worked on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect
from starlette.responses import JSONResponse, Response

from tests.browser.chat import Chat
from tests.browser.contract_site import Handler, events, recorded
from tests.browser.replies import Json, reply_to
from tests.browser.waiting import eventually

pytestmark = pytest.mark.browser

STILL = "No answer yet. Still trying…"


def not_now(code: str, retry_after_s: int | None) -> Response:
    error = {"code": code, "message": "Please try again in a moment.", "retry_after_s": retry_after_s}
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    return JSONResponse({"error": error, "request_id": "r-1"}, 503, headers=headers)


def at_first(times: int, refused: Callable[[], Response], then: Handler) -> Handler:
    """`refused` so many times, `then` from there on."""
    answers = iter([refused] * times)

    def answer(body: Json) -> Response:
        first = next(answers, None)
        return first() if first is not None else then(body)

    return answer


def told(body: Json) -> Response:
    return JSONResponse(reply_to(body["question"]))


def status(chat: Chat) -> Locator:
    return chat.panel.get_by_role("status").filter(has_text=STILL)


def again(chat: Chat) -> Locator:
    return chat.page.get_by_role("button", name="Try again")


@pytest.mark.parametrize("code", ["not_ready", "busy"])
def test_a_question_is_asked_again_by_itself_as_the_same_turn(chat: Chat, code: str) -> None:
    chat.site.ask = at_first(2, lambda: not_now(code, 1), told)
    chat.open()

    chat.send("domain")

    expect(status(chat)).to_be_visible()
    expect(chat.replies.first).to_contain_text("Connect it by records")
    expect(status(chat)).to_have_count(0)
    expect(again(chat)).to_have_count(0)
    asked = chat.site.sent_to("/ask")
    assert len(asked) == 3
    assert len({body["turn_id"] for body in asked}) == 1


def test_after_half_a_minute_it_is_said_that_it_did_not_get_through(chat: Chat) -> None:
    chat.site.ask = lambda _body: not_now("not_ready", 5)
    chat.page.clock.install()
    chat.open().send("domain")

    for asked in range(1, 6):
        eventually(chat.page, lambda: len(chat.site.sent_to("/ask")), asked)
        expect(status(chat)).to_be_visible()
        expect(again(chat)).to_have_count(0)
        chat.page.clock.run_for(5000)

    expect(again(chat)).to_be_visible()
    expect(chat.page.locator(".failure")).to_contain_text("didn’t get through")
    assert len(chat.site.sent_to("/ask")) == 6
    chat.site.ask = None
    again(chat).click()
    expect(chat.replies).to_have_count(1)


def test_a_server_that_is_away_for_longer_is_not_waited_for(chat: Chat) -> None:
    chat.site.ask = lambda _body: not_now("records_unavailable", 30)

    chat.open().send("domain")

    expect(again(chat)).to_be_visible()
    assert len(chat.site.sent_to("/ask")) == 1


def test_a_proxy_that_does_not_say_when_is_asked_again_too(chat: Chat) -> None:
    chat.site.ask = at_first(1, lambda: Response("<h1>503</h1>", 503), told)

    expect(chat.open().ask("domain")).to_contain_text("Connect it by records")


def test_stop_ends_the_wait(chat: Chat) -> None:
    chat.site.ask = lambda _body: not_now("busy", 5)
    chat.page.clock.install()
    chat.open().send("domain")
    expect(status(chat)).to_be_visible()

    chat.page.get_by_role("button", name="Stop").click()

    expect(chat.replies.first).to_contain_text("You stopped this answer.")
    expect(chat.composer).to_be_focused()
    expect(status(chat)).to_have_count(0)
    chat.page.clock.run_for(30_000)
    assert len(chat.site.sent_to("/ask")) == 1


def test_the_old_way_is_waited_for_too(chat: Chat) -> None:
    chat.site.stream = lambda _body: JSONResponse({}, 404)
    chat.site.ask = at_first(1, lambda: not_now("not_ready", 1), told)
    chat.open()

    chat.send("domain")

    expect(status(chat)).to_be_visible()
    expect(chat.replies.first).to_contain_text("Connect it by records")


def test_an_answer_that_is_fetched_again_is_waited_for(chat: Chat) -> None:
    chat.site.go.clear()
    chat.open().send("domain")
    eventually(chat.page, lambda: len(chat.site.sent_to("/ask")), 1)
    chat.site.go.set()
    whole = events({"type": "start"}, {"type": "data-outcome", "id": "outcome", "data": reply_to("domain")})
    chat.site.resume = at_first(
        1, lambda: not_now("busy", 1), lambda _path: Response(whole, media_type="text/event-stream")
    )
    chat.site.stream = lambda _body: Response(b"", media_type="text/event-stream")

    chat.page.reload()

    expect(status(chat)).to_be_visible()
    expect(chat.replies.first).to_contain_text("Connect it by records")
    assert len(chat.site.sent_to("/ask")) == 1
    assert len(chat.site.sent_to("/chat/stream/{turn_id}")) == 2


def person_form(chat: Chat) -> Locator:
    return chat.page.get_by_role("form", name="Talk to a person")


def ask_for_a_person(chat: Chat) -> None:
    chat.open().person.click()
    chat.page.get_by_label("Message").fill("Please call.")
    person_form(chat).get_by_role("button", name="Send to our team").click()


def test_a_request_for_a_person_is_sent_again_by_itself(chat: Chat) -> None:
    chat.site.handoff = at_first(1, lambda: not_now("busy", 1), recorded)

    ask_for_a_person(chat)

    expect(status(chat)).to_be_visible()
    expect(person_form(chat).get_by_role("button", name="Sending…")).to_be_visible()
    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    expect(status(chat)).to_have_count(0)
    first, second = chat.site.sent_to("/handoff")
    assert first == second


def test_a_request_whose_form_is_left_meanwhile_is_not_sent_later(chat: Chat) -> None:
    chat.site.handoff = lambda _body: not_now("busy", 5)
    chat.page.clock.install()
    ask_for_a_person(chat)
    expect(status(chat)).to_be_visible()

    person_form(chat).get_by_role("button", name="Cancel").click()

    expect(status(chat)).to_have_count(0)
    chat.page.clock.run_for(30_000)
    assert len(chat.site.sent_to("/handoff")) == 1
    chat.person.click()
    expect(person_form(chat)).to_contain_text("Nothing you typed is lost")
    expect(chat.page.get_by_label("Message")).to_have_value("Please call.")
    chat.site.handoff = None
    person_form(chat).get_by_role("button", name="Try again").click()
    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()


def test_a_request_that_cannot_be_recorded_for_long_says_so_at_once(chat: Chat) -> None:
    chat.site.handoff = lambda _body: not_now("records_unavailable", 30)

    ask_for_a_person(chat)

    expect(person_form(chat)).to_contain_text("Nothing you typed is lost")
    assert len(chat.site.sent_to("/handoff")) == 1
