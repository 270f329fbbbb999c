"""Everything can be done with the keys alone, and the focus is always somewhere sensible."""

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat

SHORTCUTS = """
window.heard = [];
const names = ["keydown", "keypress", "keyup", "beforeinput", "input", "paste", "copy", "cut",
  "compositionstart", "compositionend", "focusin", "focusout"];
const inside = (event) => event.target instanceof Element && event.target.matches("handrail-widget, handrail-chat");
for (const place of [document, window])
  for (const name of names) place.addEventListener(name, (event) => { if (inside(event)) window.heard.push(name); });
addEventListener("DOMContentLoaded", () => {
  const search = document.querySelector("main").appendChild(document.createElement("input"));
  search.type = "search";
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea") || event.target.isContentEditable) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    if (event.key === "n") location.hash = "next";
  });
});
"""
"""A page with keys of its own, which notes whatever it hears of the widget."""
IN_CAPTURE = """
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select") || event.target.isContentEditable) return;
  if (event.key.length === 1) { event.preventDefault(); location.hash = "next"; }
}, true);
"""


def test_a_visitor_opens_asks_reads_a_source_gets_a_person_and_leaves_by_keys_alone(chat: Chat) -> None:
    keys = chat.visit().page.keyboard
    chat.launcher.focus()
    keys.press("Enter")
    expect(chat.composer).to_be_focused()
    expect(chat.launcher).to_have_attribute("aria-expanded", "true")

    keys.type("How do I connect my domain?")
    keys.press("Enter")
    reply = chat.replies.first
    expect(reply).to_be_visible()
    expect(chat.composer).to_be_focused()
    expect(chat.composer).to_have_value("")

    reply.get_by_role("button", name="Source 1").first.focus()
    keys.press("Enter")
    expect(reply.locator("summary").first).to_be_focused()
    keys.press("Tab")
    expect(reply.get_by_role("link", name="Open article").first).to_be_focused()

    chat.person.focus()
    keys.press("Enter")
    expect(chat.page.get_by_label("E-mail")).to_be_focused()
    keys.press("Tab")
    keys.type("Please call.")
    keys.press("Tab")
    keys.press("Enter")
    expect(chat.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    expect(chat.composer).to_be_focused()

    keys.press("Escape")
    expect(chat.panel).to_be_hidden()
    expect(chat.launcher).to_be_focused()
    expect(chat.launcher).to_have_attribute("aria-expanded", "false")


def test_escape_goes_back_one_step_at_a_time(chat: Chat) -> None:
    keys = chat.open().page.keyboard
    chat.person.click()

    keys.press("Escape")
    expect(chat.page.get_by_role("form", name="Talk to a person")).to_be_hidden()
    expect(chat.composer).to_be_focused()

    more = chat.panel.get_by_role("button", name="More options")
    more.click()
    keys.press("Escape")
    expect(more).to_be_focused()
    expect(more).to_have_attribute("aria-expanded", "false")

    keys.press("Escape")
    expect(chat.panel).to_be_hidden()


def test_the_focus_goes_back_to_the_hosts_own_button(chat: Chat) -> None:
    chat.visit("?attributes=data-launcher=none")
    button = chat.page.get_by_role("button", name="Buy")
    button.focus()
    chat.page.evaluate("handrail('open')")
    expect(chat.composer).to_be_focused()

    chat.page.keyboard.press("Escape")

    expect(button).to_be_focused()


def test_shift_enter_breaks_the_line_and_the_box_grows(chat: Chat) -> None:
    chat.open()
    before = chat.composer.bounding_box()

    chat.composer.press_sequentially("one")
    for _ in range(3):
        chat.composer.press("Shift+Enter")
    chat.composer.press_sequentially("two")

    after = chat.composer.bounding_box()
    assert chat.composer.input_value() == "one\n\n\ntwo"
    assert before and after and after["height"] > before["height"] + 40
    assert chat.site.sent_to("/ask") == []


def test_enter_that_confirms_an_input_methods_choice_sends_nothing(chat: Chat) -> None:
    chat.open()
    chat.composer.fill("にほん")

    chat.composer.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True, "composed": True})
    chat.composer.dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "bubbles": True, "composed": True})

    expect(chat.composer).to_have_value("にほん")
    assert chat.site.sent_to("/ask") == []


def test_an_empty_question_is_not_sent(chat: Chat) -> None:
    chat.open().send("   ")

    assert chat.site.sent_to("/ask") == []
    expect(chat.page.locator(".message")).to_have_count(0)


def test_on_a_desktop_the_page_stays_usable_beside_the_chat(chat: Chat) -> None:
    chat.open()

    chat.page.get_by_role("button", name="Buy").click()

    expect(chat.page.get_by_role("button", name="Buy")).to_be_focused()
    expect(chat.panel).to_be_visible()
    assert chat.panel.evaluate("node => node.matches(':modal')") is False


@pytest.mark.parametrize("inline", [False, True], ids=["floating", "inline"])
def test_what_is_typed_in_the_chat_never_reaches_the_pages_shortcuts(chat: Chat, inline: bool) -> None:
    chat.page.add_init_script(SHORTCUTS)
    if inline:
        chat.visit("?attributes=data-launcher=none&body=<handrail-chat></handrail-chat>")
        chat.composer.click()
    else:
        chat.open()
    expect(chat.composer).to_be_focused()
    # The launcher's own focus, before the chat was fetched, is the page's to know.
    chat.page.evaluate("window.heard = []")
    keys = chat.page.keyboard

    keys.type("fps/n")
    expect(chat.composer).to_have_value("fps/n")
    for shortcut in ("ControlOrMeta+a", "ControlOrMeta+c", "ControlOrMeta+x", "ControlOrMeta+v"):
        keys.press(shortcut)
    expect(chat.composer).to_have_value("fps/n")
    chat.composer.dispatch_event("compositionstart", {"bubbles": True, "composed": True})
    chat.composer.dispatch_event("compositionend", {"bubbles": True, "composed": True})

    keys.press("Tab")
    expect(chat.composer).not_to_be_focused()
    expect(chat.page.locator(".send").first).to_be_focused()
    keys.press("Shift+Tab")
    expect(chat.composer).to_be_focused()
    assert chat.page.evaluate("window.heard") == []
    assert "#next" not in chat.page.url
    if not inline:
        keys.press("Escape")
        expect(chat.panel).to_be_hidden()

    chat.page.get_by_role("button", name="Buy").focus()
    keys.press("n")
    chat.page.wait_for_url("**/*#next")


def test_shortcuts_of_the_capture_phase_are_told_that_one_types(chat: Chat) -> None:
    chat.page.add_init_script(IN_CAPTURE)
    chat.open()

    chat.page.keyboard.type("fps/n")

    expect(chat.composer).to_have_value("fps/n")
    chat.launcher.focus()
    assert chat.page.evaluate("document.querySelector('handrail-widget').isContentEditable") is False
