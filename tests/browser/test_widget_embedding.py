"""One tag on any page: it costs nothing until opened, survives the page, and leaves nothing behind."""

import json

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite

WIDGETS = "document.querySelectorAll('handrail-widget').length"


def test_nothing_but_the_loader_is_fetched_before_the_first_open(chat: Chat) -> None:
    chat.visit()
    expect(chat.launcher).to_be_visible()
    chat.page.wait_for_timeout(150)
    assert set(chat.site.paths) <= {"/", "/widget/v1/widget.js", "/demo/icon.svg"}

    chat.launcher.click()
    expect(chat.composer).to_be_focused()

    assert {"/widget/v1/chat.js", "/config"} <= set(chat.site.paths)


@pytest.mark.parametrize(
    ("locale", "name"),
    [("de-AT", "Chat öffnen"), ("ru-RU", "Открыть чат"), ("ar", "فتح المحادثة"), ("pl", "Open chat")],
)
def test_the_launcher_speaks_the_visitors_language_before_anything_is_fetched(
    browser: Browser, contract_site: ContractSite, locale: str, name: str
) -> None:
    context = browser.new_context(locale=locale)
    chat = Chat(context.new_page(), contract_site).visit()

    expect(chat.launcher).to_have_accessible_name(name)
    assert not [path for path in contract_site.paths if "/lang/" in path or path.endswith("chat.js")]
    context.close()


def test_the_launcher_follows_the_language_that_the_page_names(chat: Chat) -> None:
    chat.visit()
    expect(chat.launcher).to_have_accessible_name("Open chat")

    chat.page.evaluate("handrail('setContext', { lang: 'es-MX' })")

    expect(chat.launcher).to_have_accessible_name("Abrir el chat")
    expect(chat.launcher).to_have_attribute("lang", "es")


def test_a_tag_included_twice_makes_one_widget(chat: Chat) -> None:
    chat.open("?tags=2")

    assert chat.page.evaluate(WIDGETS) == 1
    expect(chat.panel).to_have_count(1)


def test_a_replaced_body_keeps_the_widget_and_its_conversation(chat: Chat) -> None:
    chat.open().ask("domain")
    chat.composer.fill("and then")

    chat.page.evaluate(
        "() => { const body = document.createElement('body'); body.append('Next'); document.body.replaceWith(body); }"
    )

    expect(chat.panel).to_be_visible()
    expect(chat.replies).to_have_count(1)
    expect(chat.composer).to_have_value("and then")
    assert chat.page.evaluate(WIDGETS) == 1
    chat.page.evaluate("document.body.replaceChildren()")
    expect(chat.launcher).to_be_visible()


def test_a_modal_chat_stays_modal_when_the_body_is_replaced(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 375, "height": 640})
    chat.open()

    chat.page.evaluate("document.body.replaceWith(document.createElement('body'))")

    expect(chat.panel).to_be_visible()
    assert chat.panel.evaluate("node => node.matches(':modal')") is True


def test_commands_queued_before_the_loader_run_when_it_arrives(chat: Chat) -> None:
    chat.page.add_init_script(
        "window.handrail = window.handrail || function () { (handrail.q = handrail.q || []).push(arguments); };"
        "window.seen = []; handrail('on', 'answer', (detail) => seen.push(detail.routing)); handrail('open');"
    )

    chat.visit()

    expect(chat.composer).to_be_focused()
    chat.ask("domain")
    assert chat.page.evaluate("seen") == ["answered"]


def test_the_page_can_open_close_toggle_and_reset(chat: Chat) -> None:
    chat.visit("?attributes=data-launcher=none")
    chat.page.wait_for_function("window.handrail?.build")
    expect(chat.launcher).to_have_count(0)

    chat.page.evaluate("handrail('toggle')")
    expect(chat.panel).to_be_visible()
    chat.ask("domain")
    chat.page.evaluate("handrail('reset')")
    expect(chat.page.locator(".message")).to_have_count(0)
    assert chat.stored() is None
    chat.page.evaluate("handrail('close')")
    expect(chat.panel).to_be_hidden()
    assert chat.page.evaluate("handrail('nonsense')") is None


def test_context_from_the_page_goes_with_the_question(chat: Chat) -> None:
    chat.open()
    chat.page.evaluate("handrail('setContext', { filters: { project_key: 'store' }, lang: 'de' })")

    chat.ask("domain")

    [sent] = chat.site.sent_to("/ask")
    assert sent["filters"] == {"project_key": "store"}
    assert sent["lang"] == "de"


def test_nothing_is_stored_before_the_visitor_sends_something(chat: Chat) -> None:
    chat.open()
    chat.composer.fill("not sent")
    chat.page.keyboard.press("Escape")
    assert chat.page.evaluate("sessionStorage.length + localStorage.length + document.cookie.length") == 0

    chat.launcher.click()
    chat.ask("domain")

    stored = chat.stored()
    assert stored and json.loads(stored)["conversationId"] == "c-1"
    assert chat.page.evaluate("localStorage.length + document.cookie.length") == 0


def test_a_conversation_survives_a_reload_without_taking_the_focus(chat: Chat) -> None:
    chat.open().ask("domain")
    chat.ask("owned")

    chat.page.reload()

    expect(chat.panel).to_be_visible()
    expect(chat.replies).to_have_count(2)
    expect(chat.panel.locator(".handler")).to_have_text("With our team")
    assert chat.page.evaluate("document.activeElement === document.body") is True
    chat.ask("fax")
    assert chat.site.sent_to("/ask")[-1]["conversation_id"] == "c-1"


def test_a_question_cut_off_long_before_its_page_came_back_can_be_sent_again(chat: Chat) -> None:
    chat.site.delay_s = 3
    chat.open().send("domain")
    chat.page.wait_for_function("sessionStorage.length === 1")
    chat.site.delay_s = 0
    chat.page.add_init_script("const now = Date.now; Date.now = () => now() + 180_000;")

    chat.page.reload()
    chat.page.get_by_role("button", name="Try again").click()

    expect(chat.replies).to_have_count(1)


def test_denied_storage_changes_nothing_else(chat: Chat) -> None:
    chat.page.add_init_script(
        "for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name,"
        " { get() { throw new DOMException('denied', 'SecurityError'); } });"
    )

    chat.open().ask("domain")
    chat.ask("fax")

    expect(chat.replies).to_have_count(2)
    assert chat.site.sent_to("/ask")[-1]["conversation_id"] == "c-1"


def test_stored_rubbish_is_ignored(chat: Chat) -> None:
    for rubbish in (
        "{",
        '{"version":1,"entries":[null,7,{"kind":"reply","at":1,"reply":{"routing":"answered"}},{"kind":"visitor","at":2},{"kind":"handoff"}]}',
    ):
        chat.visit()
        chat.page.evaluate("value => sessionStorage.setItem('handrail:pub_demo', value)", rubbish)
        chat.open()
        chat.ask("domain")
        chat.page.evaluate("handrail('reset')")


def test_a_reply_that_comes_while_the_chat_is_closed_is_counted_on_the_launcher(chat: Chat) -> None:
    chat.site.go.clear()
    chat.open().send("domain")
    chat.page.keyboard.press("Escape")
    expect(chat.panel).to_be_hidden()
    chat.site.go.set()

    expect(chat.launcher).to_have_attribute("aria-label", "Open chat, 1 new")
    expect(chat.launcher.locator(".badge")).to_have_text("1")
    chat.launcher.click()
    expect(chat.launcher.locator(".badge")).to_be_hidden()


def test_a_chat_that_cannot_be_loaded_says_so_and_can_be_tried_again(chat: Chat) -> None:
    chat.visit()
    chat.page.route("**/chat.js*", lambda route: route.abort())
    chat.launcher.click()
    expect(chat.page.get_by_text("We couldn’t load the chat.")).to_be_visible()
    expect(chat.launcher).to_have_attribute("aria-expanded", "false")
    chat.page.unroute("**/chat.js*")

    chat.launcher.click()

    expect(chat.composer).to_be_focused()


def test_a_missing_configuration_is_no_reason_to_stay_shut(chat: Chat) -> None:
    chat.page.route("**/config*", lambda route: route.fulfill(status=500))
    chat.visit()

    chat.launcher.click()

    expect(chat.page.get_by_role("dialog", name="Assistant")).to_be_visible()
    expect(chat.page.get_by_text("You are chatting with an AI assistant.")).to_be_visible()
    chat.ask("domain")


def test_the_pages_own_styles_do_not_reach_in(chat: Chat) -> None:
    chat.visit()
    rules = "* { position: static; font-size: 40px; margin: 9px } html { font-size: 62.5% }"
    chat.page.evaluate(
        "css => { const made = new CSSStyleSheet(); made.replaceSync(css); document.adoptedStyleSheets = [made]; }",
        rules,
    )

    chat.launcher.click()

    expect(chat.composer).to_be_focused()
    assert chat.panel.evaluate("node => getComputedStyle(node.querySelector('h2')).fontSize") == "15px"
    assert chat.page.locator("handrail-widget").evaluate("node => getComputedStyle(node).position") == "fixed"


def test_the_element_puts_the_chat_into_the_page(chat: Chat) -> None:
    chat.visit("?attributes=data-launcher=none&body=<handrail-chat></handrail-chat>")

    expect(chat.page.get_by_role("region", name="Tillwick assistant")).to_be_visible()
    chat.ask("domain")

    expect(chat.replies).to_have_count(1)
    expect(chat.page.get_by_role("button", name="Close chat")).to_have_count(0)


def in_memory(session: CDPSession) -> tuple[int, int]:
    """Nodes and listeners alive after a garbage collection."""
    session.send("HeapProfiler.collectGarbage")
    metrics = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
    return int(metrics["Nodes"]), int(metrics["JSEventListeners"])


def test_mounting_and_unmounting_ten_times_leaks_nothing(chat: Chat) -> None:
    chat.visit()
    chat.page.wait_for_function("window.handrail?.build")
    session = chat.page.context.new_cdp_session(chat.page)
    session.send("Performance.enable")
    cycle = """async (times) => {
      for (let i = 0; i < times; i++) {
        const chat = document.createElement('handrail-chat');
        document.querySelector('main').append(chat);
        while (!chat.shadowRoot?.querySelector('textarea')) await new Promise(requestAnimationFrame);
        chat.remove();
      }
      await new Promise(requestAnimationFrame);
    }"""
    chat.page.evaluate(cycle, 3)
    nodes, listeners = in_memory(session)

    chat.page.evaluate(cycle, 10)

    after = in_memory(session)
    assert after[0] <= nodes + 20
    assert after[1] <= listeners + 2


def test_a_destroyed_widget_leaves_the_page_and_can_come_back(browser: Browser, contract_site: ContractSite) -> None:
    # The strict policy would refuse the test's own way of adding a script.
    page = browser.new_context(bypass_csp=True).new_page()
    chat = Chat(page, contract_site).open()

    page.evaluate("handrail('destroy')")

    assert page.evaluate(WIDGETS) == 0
    assert page.evaluate("window.handrail") is None
    page.add_script_tag(url="/widget/v1/widget.js?again")
    assert page.evaluate(WIDGETS) == 1
    chat.launcher.click()
    expect(chat.composer).to_be_focused()
    page.context.close()
