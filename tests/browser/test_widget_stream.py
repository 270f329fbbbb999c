"""An answer as it is written: painted, stopped, resumed, taken back, asked again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import datetime

import pytest
from playwright.sync_api import expect
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.browser.chat import Chat
from tests.browser.contract_site import events
from tests.browser.replies import CERTIFICATE, Json, reply, reply_to
from tests.browser.waiting import eventually

pytestmark = pytest.mark.browser

FIRST = {"type": "text-delta", "id": "c1", "delta": "1. Open **Settings** [1].\n"}
SECOND = {"type": "text-delta", "id": "c2", "delta": "2. Choose *Domains*."}


def outcome(**changes: object) -> Json:
    return {"type": "data-outcome", "id": "outcome", "data": {**reply_to("domain"), **changes}}


def piece(chunk: Json) -> list[Json]:
    return [{"type": "text-start", "id": chunk["id"]}, chunk, {"type": "text-end", "id": chunk["id"]}]


def in_pieces(data: bytes, size: int, pause_s: float = 0.0, keep_open_s: float = 0.0) -> Response:
    async def body() -> AsyncIterator[bytes]:
        for start in range(0, len(data), size):
            yield data[start : start + size]
            await asyncio.sleep(pause_s)
        await asyncio.sleep(keep_open_s)

    return StreamingResponse(body(), media_type="text/event-stream")


def streams(chat: Chat, response: Response) -> None:
    """The next turns get `response` instead of a whole turn at once."""
    chat.site.stream = lambda _body: response


def test_words_are_painted_as_they_come_and_the_finished_message_is_announced_once(chat: Chat) -> None:
    streams(chat, in_pieces(events({"type": "start"}, *piece(FIRST), *piece(SECOND)), 4000, keep_open_s=20))
    chat.open()
    chat.send("domain")

    writing = chat.page.locator(".writing article")
    expect(writing.locator("ol li")).to_have_count(2)
    expect(writing.locator("strong")).to_have_text("Settings")
    expect(chat.page.get_by_role("log").locator("article:not(.visitor)")).to_have_count(0)


def drafted(text: str) -> Json:
    return {"type": "data-draft", "data": {"text": text}, "transient": True}


def test_words_that_nothing_has_checked_are_plain_text_behind_what_stands(chat: Chat) -> None:
    words = "2. Choose **Domains** in [our shop](https://evil.example/)"
    parts = ({"type": "start"}, drafted("1. Op"), drafted(""), *piece(FIRST), drafted(words))
    streams(chat, in_pieces(events(*parts), 4000, keep_open_s=20))
    chat.open()
    chat.send("domain")

    writing = chat.page.locator(".writing article")
    expect(writing.locator("em")).to_have_text(words)
    expect(writing.locator("ol li")).to_have_count(1)
    expect(writing.locator("a")).to_have_count(0)

    chat.page.get_by_role("button", name="Stop").click()

    expect(chat.replies.first).to_contain_text("Open Settings")
    expect(chat.replies.first).not_to_contain_text("Domains")


def test_a_claim_takes_the_place_of_its_draft(chat: Chat) -> None:
    parts = ({"type": "start"}, drafted("1. Open **Sett"), drafted(""), *piece(FIRST))
    streams(chat, in_pieces(events(*parts), 4000, keep_open_s=20))
    chat.open()
    chat.send("domain")

    expect(chat.page.locator(".writing article ol li")).to_have_count(1)
    expect(chat.page.locator(".writing article em")).to_have_text("")


@pytest.mark.parametrize("size", [1, 7])
def test_a_stream_cut_at_every_byte_reads_the_same(chat: Chat, size: int) -> None:
    grin = {"type": "text-delta", "id": "c1", "delta": "Größe 😀 – [1]"}
    data = (
        events({"type": "start"}, *piece(grin), outcome(answer="Größe 😀 – [1]")) + b": keep-alive\n\ndata: [DONE]\n\n"
    )
    streams(chat, in_pieces(data, size))
    chat.open()

    expect(chat.ask("domain").locator(".body")).to_contain_text("Größe 😀 –")


def test_stop_ends_the_turn_on_the_server_and_keeps_what_was_written(chat: Chat) -> None:
    streams(chat, in_pieces(events({"type": "start"}, *piece(FIRST)), 4000, keep_open_s=20))
    chat.open()
    chat.send("domain")
    expect(chat.page.locator(".writing article")).to_be_visible()

    chat.page.get_by_role("button", name="Stop").click()

    stopped = chat.replies.first
    expect(stopped).to_contain_text("You stopped this answer.")
    expect(stopped).to_contain_text("Open Settings")
    expect(chat.composer).to_be_focused()
    expect(chat.page.get_by_role("button", name="Send", exact=True)).to_be_visible()
    [asked] = chat.site.sent_to("/ask")
    eventually(chat.page, lambda: [body["turn_id"] for body in chat.site.sent_to("/chat/stop")], [asked["turn_id"]])


@pytest.mark.parametrize(("typed_on", "asked"), [("", ["domain", "answered"]), (" or", ["domain"])])
def test_enter_while_an_answer_is_written_sends_when_it_is_over(chat: Chat, typed_on: str, asked: list[str]) -> None:
    """What is typed after that Enter was not meant to go yet."""
    streams(chat, in_pieces(events({"type": "start"}, *piece(FIRST)), 4000, keep_open_s=20))
    chat.open()
    chat.send("domain")
    expect(chat.page.locator(".writing article")).to_be_visible()
    chat.composer.fill("answered")
    chat.composer.press("Enter")
    chat.composer.press_sequentially(typed_on)
    expect(chat.composer).to_have_value(f"answered{typed_on}")
    chat.site.stream = None

    chat.page.get_by_role("button", name="Stop").click()

    expect(chat.replies).to_have_count(1 if typed_on else 2)
    expect(chat.composer).to_have_value(f"answered{typed_on}" if typed_on else "")
    assert [body["question"] for body in chat.site.sent_to("/ask")] == asked


def test_a_connection_cut_in_the_middle_goes_on_where_it_was(chat: Chat) -> None:
    streams(chat, in_pieces(events({"type": "start"}, *piece(FIRST)), 4000))
    rest = events(*piece(SECOND), outcome(), first=5)
    chat.site.resume = lambda _path: in_pieces(rest, 4000)
    chat.open()

    answer = chat.ask("domain")

    expect(answer).to_contain_text("Connect it by records")
    [asked] = chat.site.sent_to("/ask")
    assert chat.site.sent_to("/chat/stream/{turn_id}") == [{"turn_id": asked["turn_id"], "last_event_id": "4"}]


def test_a_page_reloaded_while_the_answer_is_written_follows_it(chat: Chat) -> None:
    streams(chat, in_pieces(events({"type": "start"}, *piece(FIRST)), 4000, keep_open_s=20))
    chat.open()
    chat.send("domain")
    expect(chat.page.locator(".writing article")).to_be_visible()
    chat.site.resume = lambda _path: in_pieces(events({"type": "start"}, *piece(FIRST), outcome()), 4000)

    chat.page.reload()

    expect(chat.replies.first).to_contain_text("Connect it by records")
    assert len(chat.site.sent_to("/ask")) == 1


@pytest.mark.parametrize(("minutes", "asked_again"), [(1, True), (5, False)])
def test_a_question_that_never_arrived_is_asked_again_by_the_reloaded_page(
    chat: Chat, minutes: int, asked_again: bool
) -> None:
    """The server does not know its turn; what was asked long ago is the visitor's to send again."""
    chat.page.clock.set_fixed_time(datetime(2026, 3, 4, 12, 0))
    chat.site.go.clear()
    chat.open().send("domain")
    eventually(chat.page, lambda: len(chat.site.sent_to("/ask")), 1)
    chat.page.clock.set_fixed_time(datetime(2026, 3, 4, 12, minutes))

    chat.page.reload()
    chat.site.go.set()

    again = chat.page.get_by_role("button", name="Try again")
    expect(chat.replies.or_(again)).to_have_count(1)
    expect(chat.replies).to_have_count(1 if asked_again else 0)
    first, *more = chat.site.sent_to("/ask")
    assert more == ([first] if asked_again else [])


def test_a_sentence_that_does_not_stand_up_is_taken_back_in_sight(chat: Chat) -> None:
    claims = {"claims": [{"id": "c2", "support": "unsupported", "replacement": ""}], "factuality": None}
    chunks = [
        {"type": "start"},
        *piece(FIRST),
        *piece(SECOND),
        {"type": "data-verification", "data": claims},
        outcome(),
    ]
    streams(chat, in_pieces(events(*chunks), 4000))
    chat.open()

    expect(chat.ask("domain")).to_contain_text("We removed a sentence")


@pytest.mark.parametrize(("routing", "said"), [("cannot_answer", True), ("handed_off", False)])
def test_an_answer_that_is_taken_back_as_a_whole_says_so(chat: Chat, routing: str, said: bool) -> None:
    """Where a person took over, nothing was wrong with it."""
    claims = {"claims": [{"id": "c1", "support": "withdrawn", "replacement": ""}], "factuality": 0.0}
    refused = reply(routing, answer="I could not prove an answer.", citations=[], sources=[])
    end = {"type": "data-outcome", "id": "outcome", "data": refused}
    streams(
        chat,
        in_pieces(events({"type": "start"}, *piece(FIRST), {"type": "data-verification", "data": claims}, end), 4000),
    )
    chat.open()

    answer = chat.ask("domain")

    expect(answer).to_contain_text("I could not prove an answer.")
    note = answer.get_by_text("We removed an earlier version of this answer")
    expect(note).to_have_count(1 if said else 0)


def test_an_error_in_the_stream_can_be_tried_again(chat: Chat) -> None:
    streams(chat, in_pieces(events({"type": "start"}, {"type": "error", "errorText": "x"}), 4000))
    chat.open()
    chat.send("domain")
    again = chat.page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    chat.site.stream = None

    again.click()

    expect(chat.replies).to_have_count(1)


def test_the_supporting_words_are_marked_in_the_opened_source(chat: Chat) -> None:
    quote = "It is ready within an hour."
    chat.site.change(
        citations=[{**CERTIFICATE, "index": 1, "quote": quote, "quotes": [quote]}], answer="Within an hour [1]."
    )
    chat.open()
    answer = chat.ask("when")

    answer.get_by_role("button", name="Source 1: Certificates for your domain").click()

    expect(answer.locator("mark")).to_have_text(quote)


def test_words_marked_across_markup_and_words_that_are_not_there(chat: Chat) -> None:
    excerpt = "Add an **A** record for `@`. Then wait."
    cited = {**CERTIFICATE, "index": 1, "excerpt": excerpt, "quotes": ["Add an **A** record for `@`.", "Never said."]}
    chat.site.change(citations=[cited], answer="Add it [1].")
    chat.open()
    answer = chat.ask("when")
    answer.get_by_role("button", name=re.compile("Source 1")).click()

    expect(answer.locator("mark").first).to_be_visible()
    assert "".join(answer.locator("mark").all_text_contents()).replace(" ", "") == "AddanArecordfor@."


def test_a_note_says_why_the_answer_is_in_another_language(chat: Chat) -> None:
    chat.site.change(notice="Hier sind die Stellen im Wortlaut auf Englisch.")
    chat.open()

    expect(chat.ask("domain").locator(".lang-note")).to_have_text("Hier sind die Stellen im Wortlaut auf Englisch.")


def test_tokens_and_cost_are_for_operators_who_ask(chat: Chat) -> None:
    chat.site.change(meta={"tokens": {"input": 1200, "output": 80}, "cost_usd": 0.0042})
    chat.open()
    expect(chat.ask("domain").locator(".meter")).to_have_count(0)

    chat.site.config["meter"] = True
    chat.page.reload()
    expect(chat.replies.first.locator(".meter")).to_have_text("1200 tokens in, 80 out, $0.0042")


def test_a_server_without_streams_is_asked_the_old_way(chat: Chat) -> None:
    chat.site.stream = lambda _body: JSONResponse({}, 404)
    chat.open()

    expect(chat.ask("domain")).to_contain_text("Connect it by records")


def test_two_tabs_hold_two_conversations(chat: Chat) -> None:
    chat.open()
    chat.ask("domain")
    other = Chat(chat.page.context.new_page(), chat.site).open()

    other.ask("deposit")

    expect(chat.replies).to_have_count(1)
    expect(other.replies).to_have_count(1)
    other.page.close()


def test_a_right_to_left_page_speaks_its_language_and_is_mirrored(chat: Chat) -> None:
    chat.site.change(answer="افتح الإعدادات [1].", routing="answered", citations=reply("answered", "")["citations"])
    chat.visit("?lang=ar")
    chat.launcher.click()
    panel = chat.page.locator("handrail-widget .panel")
    expect(panel).to_have_attribute("dir", "rtl")
    expect(panel).to_have_attribute("lang", "ar")
    box = chat.page.get_by_label("سؤالك")
    box.fill("كيف أربط نطاقي")
    box.press("Enter")

    expect(chat.replies.first).to_contain_text("افتح الإعدادات")
    assert chat.site.sent_to("/ask")[0]["lang"] == "ar"
    person = chat.page.get_by_role("button", name="التحدث إلى شخص").bounding_box()
    title = panel.locator("h2").bounding_box()
    assert person and title and person["x"] < title["x"]
