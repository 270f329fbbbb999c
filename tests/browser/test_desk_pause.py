"""The assistant paused with one click, and what the desk shows meanwhile."""

import re
import time

from playwright.sync_api import expect

from tests.browser.desk import Desk


def test_assistant_is_paused_and_resumed_with_a_click_and_every_page_says_so(desk: Desk) -> None:
    bar = desk.page.locator(".paused")
    desk.sign_in("#/settings")
    expect(bar).to_be_hidden()
    desk.page.get_by_role("button", name="Pause the assistant").click()
    dialog = desk.page.get_by_role("dialog")
    expect(dialog).to_contain_text("answers no visitor")
    assert desk.site.written("pause") == []
    desk.page.keyboard.press("Enter")

    expect(dialog).to_have_count(0)
    expect(bar).to_contain_text(re.compile(r"since \d\d:\d\d by Mira"))
    expect(desk.page.get_by_role("button", name="Resume the assistant")).to_be_focused()
    desk.page.evaluate("location.hash = '#/queue'")
    bar.get_by_role("button", name="Resume").click()

    expect(bar).to_be_hidden()
    expect(desk.page.get_by_role("main")).to_be_focused()
    assert desk.site.paused is None
    desk.page.evaluate("location.hash = '#/settings'")
    expect(desk.page.get_by_role("button", name="Pause the assistant")).to_be_visible()


def test_agents_see_the_pause_and_cannot_end_it(desk: Desk) -> None:
    desk.site.role = "agent"
    desk.site.paused = {"since": time.time(), "by": ""}
    desk.sign_in("#/settings")
    bar = desk.page.locator(".paused")

    expect(bar).to_be_visible()
    expect(desk.page.get_by_role("button", name=re.compile("Resume|Pause the assistant"))).to_have_count(0)
    desk.site.tell("pause", paused=None)
    expect(bar).to_be_hidden()
