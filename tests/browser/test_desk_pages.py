"""Reports, gaps and settings."""

import re

from playwright.sync_api import expect

from tests.browser.desk import Desk


def test_every_report_shows_its_figures_its_chart_and_its_numbers(desk: Desk) -> None:
    desk.sign_in("#/reports")
    for name in ("volume", "deflection", "times", "csat", "refusals"):
        card = desk.page.locator(f"[data-report={name}]")
        expect(card.locator("canvas")).to_have_count(1)
        expect(card.locator(".figures dd").first).not_to_have_text("")
        expect(card.get_by_role("link", name=re.compile("as CSV"))).to_have_attribute(
            "href", re.compile(rf"/desk/api/reports/{name}\.csv\?from=\d{{4}}-\d\d-\d\d&to=\d{{4}}-\d\d-\d\d$")
        )
    expect(desk.page.locator("[data-report=deflection] .figures")).to_contain_text("61 %")
    expect(desk.page.locator("[data-report=cost]")).to_contain_text("Nothing to count in these days.")
    desk.page.get_by_role("button", name="By class").click()

    expect(desk.page.locator("[data-report=volume] .legend")).to_contain_text("Answerable")


def test_a_report_that_cannot_be_had_says_so_and_the_others_stand(desk: Desk) -> None:
    desk.site.refuse["reports/csat"] = 500
    desk.sign_in("#/reports")
    card = desk.page.locator("[data-report=csat]")
    expect(card).to_contain_text("Could not be loaded.")
    expect(desk.page.locator("[data-report=volume] canvas")).to_have_count(1)
    desk.site.refuse.clear()
    card.get_by_role("button", name="Try again").click()

    expect(card.locator("canvas")).to_have_count(1)


def test_gaps_and_drafts(desk: Desk) -> None:
    desk.sign_in("#/gaps")
    expect(desk.page.get_by_text("Do you ship to Norway?")).to_be_visible()
    expect(desk.page.get_by_role("link", name="Shipping zones")).to_be_visible()
    desk.page.get_by_role("button", name="Read “Moving a deposit”").click()
    dialog = desk.page.get_by_role("dialog", name="Moving a deposit")
    expect(dialog).to_contain_text("Machine-made")
    dialog.get_by_role("button", name="Approve and index").click()

    expect(desk.notice).to_have_text("Approved; the assistant may use it now.")
    assert [path for path, _ in desk.site.writes if path.endswith("approve")] == ["drafts/d1/approve"]


def test_canned_replies_are_written_changed_and_deleted(desk: Desk) -> None:
    desk.sign_in("#/settings")
    desk.page.get_by_role("button", name="New reply").click()
    dialog = desk.page.get_by_role("dialog")
    dialog.get_by_label("Title").fill("Goodbye")
    dialog.get_by_label("Text").fill("Take care, {visitor_name}.")
    dialog.get_by_role("button", name="Save").click()
    expect(desk.page.get_by_text("Take care, {visitor_name}.")).to_be_visible()

    desk.page.get_by_role("button", name="Edit “Goodbye”").click()
    dialog.get_by_label("Title").fill("So long")
    dialog.get_by_role("button", name="Save").click()
    desk.page.get_by_role("button", name="Delete “So long”").click()
    dialog.get_by_role("button", name="Delete").click()

    expect(desk.page.get_by_text("So long", exact=True)).to_have_count(0)
    expect(desk.page.get_by_text("Refund time")).to_be_visible()
