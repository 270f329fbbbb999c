"""Pages of other people: routers that swap them, transforms, their dialogs and focus traps, and a phone's keyboard."""

from playwright.sync_api import expect

from tests.browser.chat import Chat
from tests.browser.test_widget_embedding import WIDGETS

TURBO = """async () => {
  // As Turbo does: a copy for going back, the next page's body in place of this one, its scripts run again.
  window.copy = document.body.cloneNode(true);
  const text = await (await fetch(location.href)).text();
  window.swap = (body) => {
    for (const old of body.querySelectorAll('script')) {
      const made = document.createElement('script');
      for (const { name, value } of old.attributes) made.setAttribute(name, value);
      old.replaceWith(made);
    }
    document.documentElement.replaceChild(body, document.body);
  };
  const next = document.createElement('body');
  const [script, main] = [document.createElement('script'), document.createElement('main')];
  script.dataset.widget = 'pub_demo';
  next.append(script, main, text.slice(0, 9));
  window.swap(next);
}"""
HTMX = """() => {
  // As htmx does: the body's children swapped, and put back from a copy that was kept for going back.
  window.kept = [...document.body.children].map((one) => one.cloneNode(true));
  const next = document.createElement('main');
  next.append('Next');
  document.body.replaceChildren(next);
}"""
TRAP = """
  addEventListener('load', () => {
    const inside = document.querySelector('main');
    document.addEventListener('focusin', (event) => {
      if (!inside.contains(event.target)) inside.querySelector('button').focus();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Tab') return;
      event.preventDefault();
      inside.querySelector('button').focus();
    });
  });
"""


def test_turbo_swaps_the_page_and_goes_back_and_there_is_one_widget(chat: Chat) -> None:
    chat.open().ask("domain")
    chat.composer.fill("and then")

    chat.page.evaluate(TURBO)
    expect(chat.page.locator("main")).to_have_text("")
    expect(chat.composer).to_have_value("and then")
    chat.page.evaluate("window.swap(window.copy)")

    expect(chat.page.get_by_role("heading", name="A shop")).to_be_visible()
    expect(chat.replies).to_have_count(1)
    assert chat.page.evaluate(WIDGETS) == 1
    chat.ask("fax")


def test_htmx_swaps_the_page_and_restores_it_and_there_is_one_widget(chat: Chat) -> None:
    chat.open().ask("domain")

    chat.page.evaluate(HTMX)
    expect(chat.panel).to_be_visible()
    chat.page.evaluate("document.body.replaceChildren(...window.kept)")

    expect(chat.replies).to_have_count(1)
    assert chat.page.evaluate(WIDGETS) == 1
    chat.ask("fax")


def test_a_body_with_a_transform_does_not_carry_the_widget_away(chat: Chat) -> None:
    chat.page.add_init_script(
        "addEventListener('DOMContentLoaded', () => {"
        " document.body.style.transform = 'translateY(0)'; document.body.style.minHeight = '3000px'; });"
    )
    chat.visit()

    expect(chat.launcher).to_be_in_viewport(ratio=1)
    chat.page.mouse.wheel(0, 900)
    expect(chat.launcher).to_be_in_viewport(ratio=1)
    chat.launcher.click()
    expect(chat.panel).to_be_in_viewport(ratio=1)
    chat.ask("domain")


def test_a_modal_dialog_of_the_page_leads_back_to_the_chat(chat: Chat) -> None:
    chat.open()
    chat.site.go.clear()
    chat.send("domain")
    chat.page.evaluate(
        "() => { const made = document.createElement('dialog'); made.append(document.createElement('input'));"
        " document.querySelector('main').append(made); made.showModal(); }"
    )
    field = chat.page.locator("main dialog input")
    expect(field).to_be_focused()

    chat.site.go.set()
    expect(chat.replies).to_have_count(1)
    chat.page.keyboard.type("mine")
    expect(field).to_have_value("mine")
    chat.page.keyboard.press("Escape")

    expect(field).to_be_hidden()
    expect(chat.panel).to_be_visible()
    chat.ask("fax")


def test_a_focus_trap_of_the_page_leaves_the_chat_its_focus_and_its_keys(chat: Chat) -> None:
    chat.page.add_init_script(TRAP)
    chat.visit()
    chat.page.evaluate("handrail('open')")
    expect(chat.composer).to_be_focused()

    chat.page.keyboard.type("hi")
    chat.page.keyboard.press("Tab")

    expect(chat.composer).to_have_value("hi")
    expect(chat.page.locator(".send").first).to_be_focused()


def test_a_phones_keyboard_leaves_the_composer_and_the_header_in_sight(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 375, "height": 740})
    chat.open().ask("domain")

    # iOS does not resize the window: only the visual viewport shrinks, and is moved.
    chat.page.evaluate(
        "() => { for (const [name, value] of Object.entries({ height: 410, offsetTop: 60 }))"
        " Object.defineProperty(visualViewport, name, { configurable: true, value });"
        " visualViewport.dispatchEvent(new Event('resize')); }"
    )

    header, composer = (chat.panel.locator(place).bounding_box() for place in ("header", ".composer"))
    assert header is not None
    assert composer is not None
    assert header["y"] >= 60
    assert composer["y"] + composer["height"] <= 470
