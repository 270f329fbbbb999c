"""A person is always one press away, and one request is one request."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect
from starlette.responses import JSONResponse

from tests.browser.chat import Chat
from tests.browser.contract_site import limited


def form(chat: Chat) -> Locator:
    return chat.page.get_by_role("form", name="Talk to a person")


def test_a_person_can_be_asked_for_before_anything_else(chat: Chat) -> None:
    chat.open()

    chat.person.click()
    chat.page.get_by_label("E-mail").fill("ines@example.com")
    chat.page.get_by_label("Message").fill("I was charged twice.")
    form(chat).get_by_role("button", name="Send to our team").click()

    receipt = chat.replies.last
    expect(receipt).to_contain_text("HR-7K2M9Q")
    expect(receipt).to_contain_text("The team has your request.")
    expect(receipt).to_contain_text("A person replies within one working day.")
    expect(form(chat)).to_be_hidden()
    [sent] = chat.site.sent_to("/handoff")
    assert len(sent["conversation_id"]) == 36
    assert sent["email"] == "ines@example.com"
    assert sent["message"] == "I was charged twice."
    assert sent["reason"] == "visitor_request"
    assert sent["transcript"] == []


def test_pressing_twice_makes_one_request(chat: Chat) -> None:
    chat.site.go.clear()
    chat.open()
    chat.person.click()

    form(chat).get_by_role("button", name="Send to our team").dblclick()
    chat.site.go.set()

    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    chat.person.click()
    expect(form(chat)).to_be_hidden()
    expect(chat.page.locator("[data-routing=handoff]")).to_be_focused()
    assert len(chat.site.sent_to("/handoff")) == 1


def test_a_request_from_a_reply_carries_its_reason_and_the_conversation(chat: Chat) -> None:
    reply = chat.open().ask("I am furious")
    reply.get_by_role("button", name="Talk to a person").click()
    chat.page.get_by_label("Message").fill("Hello?")

    form(chat).get_by_role("button", name="Send to our team").click()

    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    [sent] = chat.site.sent_to("/handoff")
    assert sent["conversation_id"] == "c-1"
    assert sent["turn_id"] == chat.site.sent_to("/ask")[0]["turn_id"]
    assert sent["reason"] == "billing_dispute"
    assert [line["author"] for line in sent["transcript"]] == ["visitor", "assistant"]


def test_a_wrong_address_is_explained_and_nothing_is_sent(chat: Chat) -> None:
    chat.open()
    chat.person.click()
    email = chat.page.get_by_label("E-mail")

    email.fill("ines@example")
    form(chat).get_by_role("button", name="Send to our team").click()

    expect(form(chat).get_by_role("alert").first).to_contain_text("such as name@example.com")
    expect(email).to_be_focused()
    expect(email).to_have_attribute("aria-invalid", "true")
    assert chat.site.sent_to("/handoff") == []


def test_a_failure_keeps_the_text_and_can_be_tried_again_as_one_request(chat: Chat) -> None:
    chat.site.handoff = lambda _body: JSONResponse({"error": {"code": "internal", "message": "x"}}, 500)
    chat.open()
    chat.person.click()
    chat.page.get_by_label("Message").fill("Please call.")
    form(chat).get_by_role("button", name="Send to our team").click()
    expect(form(chat)).to_contain_text("Nothing you typed is lost")
    expect(chat.page.get_by_label("Message")).to_have_value("Please call.")
    chat.site.handoff = None

    form(chat).get_by_role("button", name="Try again").click()

    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    first, second = chat.site.sent_to("/handoff")
    assert first["turn_id"] == second["turn_id"]


def test_a_limited_request_names_the_time(chat: Chat) -> None:
    chat.page.clock.set_fixed_time(datetime(2026, 3, 4, 12, 0))
    chat.site.handoff = lambda _body: limited(600)
    chat.open()
    chat.person.click()

    form(chat).get_by_role("button", name="Send to our team").click()

    expect(form(chat)).to_contain_text("You can send this again at 12:10")


def test_nobody_is_promised_when_nobody_is_there(chat: Chat) -> None:
    chat.site.config["person"] = {"available": True, "expectation": "We are back on Monday at 8:00."}
    chat.open()

    chat.person.click()

    expect(form(chat)).to_contain_text("We are back on Monday at 8:00.")
    expect(form(chat)).not_to_contain_text("Nobody is online")


def test_who_is_there_is_asked_again_when_the_form_is_opened(chat: Chat) -> None:
    chat.open()
    chat.site.config["person"] = {"available": True, "expectation": "We are back on Monday at 8:00."}

    chat.person.click()

    expect(form(chat)).to_contain_text("We are back on Monday at 8:00.")


def test_no_person_is_offered_where_requests_are_read_by_nobody(chat: Chat) -> None:
    chat.site.config["person"] = {"available": False, "expectation": ""}
    reply = chat.open().ask("I am furious")

    expect(reply).to_have_attribute("data-routing", "high_stakes")
    expect(chat.panel.get_by_role("button", name="Talk to a person")).to_have_count(0)


def test_what_was_typed_survives_leaving_the_form(chat: Chat) -> None:
    chat.open()
    chat.person.click()
    chat.page.get_by_label("Message").fill("half a thought")

    form(chat).get_by_role("button", name="Cancel").click()
    chat.person.click()

    expect(chat.page.get_by_label("Message")).to_have_value("half a thought")


@pytest.mark.parametrize(
    ("expectation", "bubbles"),
    [("A person replies within one working day.", 0), ("Our support team is away at the moment.", 1)],
)
def test_what_the_receipt_said_is_not_said_again(chat: Chat, expectation: str, bubbles: int) -> None:
    """Who writes on is told that it was passed on; what has changed since then is said."""
    chat.open().person.click()
    form(chat).get_by_role("button", name="Send to our team").click()
    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    chat.site.change(
        routing="handed_off", answer=f"Your request is with our team. Your reference is HR-7K2M9Q. {expectation}"
    )

    chat.send("hello?")

    expect(chat.page.locator("[data-routing=handed_off]")).to_have_count(bubbles)
    expect(chat.page.locator(".delivered")).to_have_count(1 - bubbles)


def test_the_host_page_can_tell_who_is_signed_in(chat: Chat) -> None:
    chat.open()
    chat.page.evaluate("handrail('setUser', { email: 'known@example.com' })")

    chat.person.click()

    expect(chat.page.get_by_label("E-mail")).to_have_value("known@example.com")
    expect(chat.page.get_by_label("Message")).to_be_focused()


def test_the_reference_can_be_copied(chat: Chat) -> None:
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.open()
    chat.person.click()
    form(chat).get_by_role("button", name="Send to our team").click()

    chat.panel.get_by_role("button", name="Copy").click()

    expect(chat.panel.locator(".copied")).to_have_text("Copied")
    assert chat.page.evaluate("navigator.clipboard.readText()") == "HR-7K2M9Q"


def test_the_transcript_can_be_downloaded(chat: Chat) -> None:
    chat.open().ask("How do I connect my domain?")
    chat.panel.get_by_role("button", name="More options").click()

    with chat.page.expect_download() as download:
        chat.panel.get_by_role("button", name="Download transcript").click()

    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert download.value.suggested_filename.endswith(".txt")
    assert "Conversation with Tillwick assistant" in text
    assert "How do I connect my domain?" in text
    assert "Tillwick assistant (AI assistant)" in text
    assert "[2] Certificates for your domain https://help.tillwick.example/domains/certificate" in text


def test_a_transcript_is_mailed_once_the_address_is_confirmed(chat: Chat) -> None:
    chat.site.config["transcript_mail"] = True
    answers = [
        (202, {"status": "code_sent", "expires_in": 1800}),
        (422, {"error": {"code": "code_wrong", "message": "x"}}),
        (422, {"error": {"code": "code_expired", "message": "x"}}),
        (202, {"status": "code_sent", "expires_in": 1800}),
        (202, {"status": "queued"}),
    ]
    asked: list[Any] = []

    def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        status, body = answers[len(asked) - 1]
        route.fulfill(status=status, json=body)

    chat.page.route("**/conversations/*/transcript", answer)
    chat.open().ask("domain")
    chat.panel.get_by_role("button", name="More options").click()
    chat.page.get_by_role("button", name="E-mail transcript").click()
    address = chat.page.get_by_label("Where should we send the transcript?")
    send = chat.page.get_by_role("button", name="Send transcript")
    wrong = chat.page.locator(".mail-form .wrong")
    for bad in ("ines", "ines@example.com, bob@example.com", "Ines <ines@example.com>"):
        address.fill(bad)
        send.click()
        expect(wrong).to_contain_text("such as name@example.com")
    assert asked == []

    address.fill("ines@example.com")
    send.click()
    code = chat.page.get_by_label("ines@example.com")
    expect(code).to_be_focused()
    expect(code).to_have_value("")
    expect(code).to_have_attribute("autocomplete", "one-time-code")
    code.fill("12")
    send.click()
    expect(wrong).to_contain_text("not the code")
    assert len(asked) == 1
    code.fill("111 111")
    send.click()
    expect(wrong).to_contain_text("not the code")
    code.fill("222222")
    send.click()
    expect(wrong).to_contain_text("has expired")
    expect(address).to_have_value("ines@example.com")
    send.click()
    code.fill("333333")
    send.click()
    expect(chat.page.locator("handrail-widget .status")).to_contain_text("on its way to ines@example.com")
    expect(chat.composer).to_be_focused()
    assert [body.get("code") for body in asked] == [None, "111 111", "222222", None, "333333"]
    assert {body["email"] for body in asked} == {"ines@example.com"}
