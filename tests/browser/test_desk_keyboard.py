"""The desk's pages beside the queue, worked with keys alone: each key press goes to whatever has the focus."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.desk import Desk

MOST_TABS = 120


def go(desk: Desk, target: Locator) -> None:
    """Tab until `target` has the focus, which must be seen."""
    expect(target).to_have_count(1)
    for _ in range(MOST_TABS):
        desk.page.keyboard.press("Tab")
        if target.evaluate("one => one === document.activeElement"):
            assert desk.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"Tab does not reach {target}")


def press(desk: Desk, name: str | re.Pattern[str], role: str = "button") -> None:
    scope = desk.page.get_by_role("dialog") if desk.page.get_by_role("dialog").count() else desk.page
    go(desk, scope.get_by_role(role, name=name, exact=isinstance(name, str)))  # type: ignore[arg-type]
    desk.page.keyboard.press("Enter")


def focused(desk: Desk) -> str:
    """The label or the words of what has the focus."""
    found: str = desk.page.evaluate(
        "() => { const one = document.activeElement;"
        " return one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent; }"
    )
    return found


def status(desk: Desk, section: str) -> Locator:
    card = desk.page.locator(".card").filter(has=desk.page.get_by_role("heading", name=section))
    return card.get_by_label("Status")


def choose(desk: Desk, label: str, option: str) -> None:
    """A choice is made by typing the beginning of one of its options."""
    go(desk, desk.page.get_by_label(label, exact=True))
    desk.page.keyboard.type(option)


def test_pages_are_reached_past_the_bar_by_the_skip_link(desk: Desk) -> None:
    desk.sign_in("#/reports")
    desk.page.reload()
    expect(desk.page.locator("[data-report=csat] canvas")).to_have_count(1)
    desk.page.keyboard.press("Tab")
    expect(desk.page.get_by_role("link", name="Skip to content")).to_be_focused()
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.press("Tab")

    expect(desk.page.get_by_role("button", name="7 days")).to_be_focused()


def test_reports(desk: Desk) -> None:
    desk.sign_in()
    press(desk, "Reports", "link")
    expect(desk.page.locator("[data-report=volume] canvas")).to_have_count(1)
    press(desk, "90 days")
    expect(desk.page.locator("[data-report=volume] canvas")).to_have_count(1)
    press(desk, "By class")
    expect(desk.page.locator("[data-report=volume] .legend")).to_contain_text("Answerable")
    summary = desk.page.locator("[data-report=volume] summary")
    go(desk, summary)
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.press("Tab")

    expect(desk.page.get_by_role("region", name="Volume: the numbers")).to_be_focused()
    go(desk, desk.page.get_by_role("link", name="Deflection as CSV"))


def test_cases(desk: Desk) -> None:
    desk.sign_in("#/gaps")
    press(desk, "Edit “Do you ship to Norway?”")
    dialog = desk.page.get_by_role("dialog", name="Edit the case")
    expect(dialog.get_by_label("Question")).to_be_focused()
    desk.page.keyboard.press("Escape")
    expect(desk.page.get_by_role("button", name="Edit “Do you ship to Norway?”")).to_be_focused()

    desk.page.keyboard.press("Enter")
    choose(desk, "What should it have done?", "Answer it")
    go(desk, dialog.get_by_label("Articles that answer it"))
    desk.page.keyboard.type("store/shipping")
    desk.page.keyboard.press("Enter")
    expect(desk.notice).to_have_text("Confirmed.")
    expect(desk.page.get_by_role("button", name=re.compile("^Confirm “Where do I change"))).to_be_focused()

    press(desk, re.compile("^Discard “Where do I change"))
    expect(desk.page.get_by_text("No cases with this status.")).to_be_visible()
    expect(status(desk, "Evaluation cases")).to_be_focused()


def test_drafts_of_articles(desk: Desk) -> None:
    desk.sign_in("#/gaps")
    press(desk, "Read “Moving a deposit”")
    dialog = desk.page.get_by_role("dialog", name="Moving a deposit")
    expect(dialog.get_by_label("Title")).to_be_focused()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(" to another day")
    press(desk, "Approve and index")

    expect(desk.notice).to_have_text("Approved. The assistant can use it now.")
    assert desk.site.written("drafts/d1")[0]["title"] == "Moving a deposit to another day"
    expect(desk.page.get_by_role("button", name="Read “Moving a deposit”")).to_be_focused()


def test_letters_that_could_not_be_delivered(desk: Desk) -> None:
    desk.sign_in("#/settings")
    press(desk, "Send again to alerts.example.net")
    expect(desk.notice).to_have_text("Sending 1 again.")
    expect(status(desk, "Alerts and transcripts")).to_be_focused()
    desk.page.keyboard.type("On their")

    expect(desk.page.get_by_text("alerts.example.net")).to_be_visible()


def test_a_visitors_data(desk: Desk) -> None:
    desk.sign_in("#/settings")
    who = desk.page.get_by_label("Visitor id or e-mail address")
    go(desk, who)
    desk.page.keyboard.type("eve@example.net")
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_role("link", name="Download as JSON")).to_be_visible()
    press(desk, "Delete everything")
    expect(desk.page.get_by_role("dialog")).to_be_visible()
    expect(desk.page.get_by_role("dialog").get_by_role("button", name="Delete everything")).to_be_focused()
    desk.page.keyboard.press("Enter")

    expect(desk.page.get_by_text("2 conversations deleted.")).to_be_visible()
    expect(who).to_be_focused()


def test_the_audit_log(desk: Desk) -> None:
    desk.sign_in("#/settings")
    log = desk.page.get_by_role("region", name="Audit log").last
    choose(desk, "Action", "Failed")
    expect(log.get_by_role("row")).to_have_count(2)
    choose(desk, "Action", "Took")
    press(desk, "Conversation", "link")

    expect(desk.page).to_have_url(re.compile("#/queue/0f9a7c7c"))


def test_canned_replies(desk: Desk) -> None:
    desk.sign_in("#/settings")
    press(desk, "Delete “Greeting”")
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_text("Greeting", exact=True)).to_have_count(0)
    expect(desk.page.get_by_role("button", name="Edit “Refund time”")).to_be_focused()
    press(desk, "Delete “Refund time”")
    desk.page.keyboard.press("Enter")

    expect(desk.page.get_by_role("button", name="New reply")).to_be_focused()


@pytest.mark.parametrize("name", ["reports", "gaps", "settings"])
def test_nothing_traps_the_focus(desk: Desk, name: str) -> None:
    """Tab goes through everything and comes round again, each stop once."""
    desk.sign_in(f"#/{name}")
    expect(desk.page.locator(".card").last).to_be_visible()
    desk.page.wait_for_load_state("networkidle")
    names = []
    for _ in range(MOST_TABS):
        desk.page.keyboard.press("Tab")
        names.append(focused(desk))
        if names.count("Skip to content") == 2:
            break

    assert names.count("Skip to content") == 2
