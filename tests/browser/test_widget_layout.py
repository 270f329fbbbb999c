"""The widget fits every screen, moves nothing on the page, and follows the page's scheme and colour."""

import pytest
from fastapi.responses import JSONResponse
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite
from tests.browser.replies import REPLIES, reply

OVERFLOW = """() => {
  const panel = document.querySelector('handrail-widget').shadowRoot.querySelector('dialog');
  const log = panel.querySelector('.log');
  const wide = [...panel.querySelectorAll('*')].filter(node => !node.closest('pre, .table, .hidden, .status, abbr')
    && node.getBoundingClientRect().right > innerWidth + 0.5);
  return [document.documentElement.scrollWidth - innerWidth, log.scrollWidth - log.clientWidth, wide.length];
}"""
BACKGROUND = "node => getComputedStyle(node).backgroundColor"


@pytest.mark.parametrize("width", [320, 375])
def test_on_a_phone_the_chat_is_modal_fills_the_screen_and_never_scrolls_sideways(chat: Chat, width: int) -> None:
    chat.page.set_viewport_size({"width": width, "height": 640})
    chat.open()

    assert chat.panel.bounding_box() == {"x": 0, "y": 0, "width": width, "height": 640}
    assert chat.panel.evaluate("node => node.matches(':modal')") is True
    for keyword in REPLIES:
        chat.ask(f"{keyword} {'unbroken' * 12}")
    chat.person.click()
    assert chat.page.evaluate(OVERFLOW) == [0, 0, 0]


def test_long_lines_of_code_scroll_by_themselves_in_the_answer_and_in_the_passage(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 375, "height": 640})
    code = f"```sh\nquill runs cancel {'--tag import-2025 ' * 8}\n```"
    passage = {**REPLIES["domain"]["citations"][0], "excerpt": f"In a shell:\n\n{code}"}
    chat.site.ask = lambda _body: JSONResponse(reply("answered", f"Cancel it:\n\n{code}\n\n[1]", citations=[passage]))
    given = chat.open().ask("how do I cancel it")

    given.locator("summary").click()

    expect(given.locator("pre")).to_have_count(2)
    assert chat.page.evaluate(OVERFLOW) == [0, 0, 0]


def test_a_modal_chat_keeps_the_focus_from_the_page_behind_it(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 375, "height": 640})
    chat.open()

    for _ in range(12):
        chat.page.keyboard.press("Tab")
        behind = "document.activeElement.matches('main *')"
        assert chat.page.evaluate(behind) is False
    chat.page.get_by_role("button", name="Close chat", include_hidden=False).last.click()
    expect(chat.panel).to_be_hidden()
    assert chat.page.evaluate("document.documentElement.style.overflow") == ""


def test_escape_leaves_a_modal_chat_and_gives_the_focus_back(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 375, "height": 640})
    chat.open()

    chat.page.keyboard.press("Escape")

    expect(chat.panel).to_be_hidden()
    expect(chat.launcher).to_be_focused()


def test_turning_the_device_changes_between_modal_and_not(chat: Chat) -> None:
    chat.open()
    chat.composer.fill("half a question")

    chat.page.set_viewport_size({"width": 375, "height": 640})
    expect(chat.panel).to_have_class("panel floating modal")
    chat.page.set_viewport_size({"width": 1280, "height": 800})

    expect(chat.panel).to_have_class("panel floating")
    expect(chat.composer).to_have_value("half a question")


def test_full_screen_can_be_entered_and_left(chat: Chat) -> None:
    chat.open()

    chat.panel.get_by_role("button", name="Full screen").click()
    wide = chat.panel.bounding_box()
    chat.panel.get_by_role("button", name="Leave full screen").click()
    narrow = chat.panel.bounding_box()

    assert wide and narrow and wide["width"] > 1200 and narrow["width"] < 500


def test_the_last_message_stays_in_view_when_the_composer_grows(chat: Chat) -> None:
    chat.open().ask("domain")
    last = chat.ask("fax").locator(".person-button")
    expect(last).to_be_in_viewport()

    chat.composer.fill("line\n" * 8)

    expect(last).to_be_in_viewport(ratio=1)


def test_nothing_on_the_page_moves(chat: Chat) -> None:
    chat.page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => {"
        " for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;"
        " }).observe({ type: 'layout-shift', buffered: true });"
    )
    # Later than the half second after a key press in which a shift would be forgiven.
    chat.site.delay_s = 0.6
    chat.open()

    chat.ask("domain")
    chat.person.click()
    chat.page.keyboard.press("Escape")
    chat.page.keyboard.press("Escape")
    chat.page.wait_for_timeout(600)

    assert chat.page.evaluate("shift") == 0


def test_the_operators_colour_is_used_with_text_that_can_be_read_on_it(chat: Chat) -> None:
    chat.site.config["brand"] = {"name": "Tillwick", "assistant": "Tillwick assistant", "accent": "#ffe14d"}
    chat.open()

    assert chat.launcher.evaluate(BACKGROUND) == "rgb(255, 225, 77)"
    assert chat.launcher.evaluate("node => getComputedStyle(node).color") == "rgb(16, 20, 26)"


def test_the_pages_css_variable_wins_over_the_configured_colour(chat: Chat) -> None:
    chat.visit()
    chat.page.evaluate("document.documentElement.style.setProperty('--handrail-accent', 'rebeccapurple')")

    chat.launcher.click()

    expect(chat.panel).to_be_visible()
    assert chat.launcher.evaluate(BACKGROUND) == "rgb(102, 51, 153)"


@pytest.mark.parametrize(
    ("scheme", "attribute", "expected"),
    [
        ("dark", "", "dark"),
        ("light", "", "light"),
        ("dark", "data-theme=light", "light"),
        ("light", "data-theme=dark", "dark"),
    ],
)
def test_the_theme_follows_the_system_unless_the_tag_says_otherwise(
    chat: Chat, page: Page, scheme: str, attribute: str, expected: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")

    chat.open(f"?attributes={attribute}")

    expect(page.locator("handrail-widget")).to_have_attribute("data-scheme", expected)
    expected_ground = "rgb(22, 24, 29)" if expected == "dark" else "rgb(255, 255, 255)"
    assert chat.panel.evaluate(BACKGROUND) == expected_ground


def test_the_system_may_change_its_scheme_while_the_chat_is_open(chat: Chat) -> None:
    chat.open()

    chat.page.emulate_media(color_scheme="dark")

    expect(chat.page.locator("handrail-widget")).to_have_attribute("data-scheme", "dark")


def test_a_right_to_left_language_mirrors_the_panel(chat: Chat) -> None:
    chat.site.config["lang"] = "ar"
    chat.open()
    chat.ask("domain")

    expect(chat.panel).to_have_attribute("dir", "rtl")
    person, close = chat.person.bounding_box(), chat.panel.get_by_role("button", name="Close chat").bounding_box()
    assert person and close and close["x"] < person["x"]


def test_a_language_that_runs_against_the_page_leaves_the_panel_over_its_button(chat: Chat) -> None:
    chat.site.config["lang"] = "ar"
    chat.open()

    panel, button = chat.panel.bounding_box(), chat.launcher.bounding_box()
    assert panel and button
    assert panel["x"] + panel["width"] == pytest.approx(button["x"] + button["width"], abs=1)
    assert chat.composer.evaluate("box => getComputedStyle(box).direction") == "rtl", "its placeholder is Arabic"
    chat.composer.fill("connect a domain")
    assert chat.composer.evaluate("box => getComputedStyle(box).direction") == "ltr"


def test_a_full_stop_is_never_alone_on_a_line(chat: Chat) -> None:
    chat.open()
    body = chat.ask("domain").locator(".body")

    expect(body.locator(".cite").first).to_be_visible()
    assert not body.evaluate("body => [...body.querySelectorAll('.cite')].some(c => /^[.,]/.test(c.nextSibling?.data))")


def test_the_demo_page_fits_a_phone_and_changes_pages_under_an_open_chat(
    browser: Browser, contract_site: ContractSite
) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{contract_site.url}/demo/")
    assert page.evaluate("document.documentElement.scrollWidth") == 320

    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("link", name="Store").click()

    expect(page.get_by_role("heading", name="Store")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_text("A Handrail demo. Tillwick is a fictional company")).to_be_attached()
    context.close()
