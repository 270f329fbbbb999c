"""Reports, gaps and settings."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import Desk


def test_every_report_shows_its_figures_its_chart_and_its_numbers(desk: Desk) -> None:
    desk.sign_in("#/reports")
    for name in ("volume", "deflection", "times", "csat", "grades", "refusals", "cost"):
        card = desk.page.locator(f"[data-report={name}]")
        expect(card.locator("canvas")).to_have_count(1)
        expect(card.locator(".figures dd").first).not_to_have_text("")
        expect(card.get_by_role("link", name=re.compile("as CSV"))).to_have_attribute(
            "href", re.compile(rf"/desk/api/reports/{name}\.csv\?from=\d{{4}}-\d\d-\d\d&to=\d{{4}}-\d\d-\d\d$")
        )
    expect(desk.page.locator("[data-report=deflection] .figures")).to_contain_text("61 %")
    expect(desk.page.locator("[data-report=gaps]")).to_contain_text("Nothing to report for these days.")
    desk.page.get_by_role("button", name="By class").click()

    expect(desk.page.locator("[data-report=volume] .legend")).to_contain_text("Answerable")


def test_cost_is_forecast_and_broken_down_by_model_and_conversation(desk: Desk) -> None:
    desk.sign_in("#/reports")
    card = desk.page.locator("[data-report=cost]")
    expect(card.locator(".figures")).to_contain_text("Forecast for the month$9.1At least$8.4At most$9.8")
    expect(card.locator(".figures")).to_contain_text("Budget of the month–")
    expect(card).to_contain_text("No budget is set.")
    card.get_by_text("By model").click()
    expect(card.get_by_role("region", name="by model")).to_contain_text("large-1812$4.2")
    card.get_by_text("By conversation").click()

    expect(card.get_by_role("link", name="c1")).to_have_attribute("href", "#/queue/c1")


def test_answers_that_were_probably_wrong_lead_and_lead_to_their_conversation(desk: Desk) -> None:
    desk.sign_in("#/reports")
    card = desk.page.locator("[data-report]").first
    expect(card).to_have_attribute("data-report", "doubts")
    expect(card.get_by_role("row").last).to_contain_text("An agent said otherwise, Thumb down")

    expect(card.get_by_role("link", name="c1")).to_have_attribute("href", "#/queue/c1")


def test_a_report_that_cannot_be_had_says_so_and_the_others_stand(desk: Desk) -> None:
    desk.site.refuse["reports/csat"] = 500
    desk.sign_in("#/reports")
    card = desk.page.locator("[data-report=csat]")
    expect(card).to_contain_text("Couldn’t load this report.")
    expect(desk.page.locator("[data-report=volume] canvas")).to_have_count(1)
    desk.site.refuse.clear()
    card.get_by_role("button", name="Try again").click()

    expect(card.locator("canvas")).to_have_count(1)


def test_gaps_and_drafts(desk: Desk) -> None:
    desk.sign_in("#/gaps")
    expect(desk.page.locator(".samples").get_by_text("Do you ship to Norway?")).to_be_visible()
    expect(desk.page.get_by_role("link", name="Shipping zones")).to_be_visible()
    desk.page.get_by_role("button", name="Read “Moving a deposit”").click()
    dialog = desk.page.get_by_role("dialog", name="Moving a deposit")
    expect(dialog).to_contain_text("Machine-made")
    dialog.get_by_role("button", name="Approve and index").click()

    expect(desk.notice).to_have_text("Approved. The assistant can use it now.")
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


def test_cases_are_confirmed_edited_and_discarded(desk: Desk) -> None:
    desk.sign_in("#/gaps")
    page = desk.page
    page.get_by_role("button", name="Edit “Do you ship to Norway?”").click()
    dialog = page.get_by_role("dialog", name="Edit the case")
    dialog.get_by_label("What should it have done?").select_option(label="Answer it from the articles")
    dialog.get_by_label("Articles that answer it").fill("store/shipping, store/taxes")
    dialog.get_by_role("button", name="Save and confirm").click()
    expect(desk.notice).to_have_text("Confirmed.")
    page.get_by_role("button", name=re.compile("^Discard “Where do I change")).click()
    expect(page.get_by_text("No cases with this status.")).to_be_visible()

    assert desk.site.written("cases/case-1") == [
        {
            "question": "Do you ship to Norway?",
            "article_ids": ["store/shipping", "store/taxes"],
            "status": "confirmed",
            "should_refuse": False,
        }
    ]
    assert desk.site.written("cases/case-2") == [{"status": "dropped"}]
    page.get_by_label("Status").select_option(label="Confirmed")
    expect(page.get_by_text("store/taxes")).to_be_visible()


def test_letters_that_could_not_be_delivered_are_sent_again(desk: Desk) -> None:
    desk.sign_in("#/settings")
    page = desk.page
    expect(page.get_by_text("the receiver answered 503")).to_have_count(2)
    page.get_by_role("button", name="Send again to alerts.example.net").click()
    expect(desk.notice).to_have_text("Sending 1 again.")
    expect(page.get_by_text("team@example.net")).to_be_visible()
    page.get_by_label("Status").select_option(label="On their way")

    expect(page.get_by_text("alerts.example.net")).to_be_visible()


def test_a_visitors_data_is_looked_up_handed_out_and_deleted(desk: Desk) -> None:
    desk.sign_in("#/settings")
    page = desk.page
    who = page.get_by_label("Visitor id or e-mail address")
    who.fill("eve@example.net")
    who.press("Enter")
    expect(page.get_by_role("link", name="Download as JSON")).to_have_attribute(
        "href", re.compile(r"/desk/api/visitors/eve%40example\.net/export$")
    )
    page.get_by_role("button", name="Delete everything").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete everything").click()
    expect(page.get_by_text("2 conversations deleted.")).to_be_visible()
    who.press("Enter")

    expect(page.get_by_text("Nothing is stored about eve@example.net.")).to_be_visible()


def test_the_audit_log_names_who_did_what(desk: Desk) -> None:
    desk.sign_in("#/settings")
    log = desk.page.get_by_role("region", name="Audit log")
    expect(log.get_by_role("row")).to_have_count(3)
    expect(log).to_contain_text("Took a conversation")
    desk.page.get_by_label("Action").select_option(label="Failed to sign in")

    expect(log.get_by_role("row")).to_have_count(2)


@pytest.mark.parametrize(("role", "shown"), [("agent", []), ("lead", ["Alerts and transcripts", "Audit log"])])
def test_settings_show_each_role_its_own(desk: Desk, role: str, shown: list[str]) -> None:
    desk.site.role = role
    desk.sign_in("#/settings")
    expect(desk.page.get_by_text("Refund time")).to_be_visible()

    for title in ("Alerts and transcripts", "Users", "A visitor’s data", "Audit log"):
        expect(desk.page.get_by_role("heading", name=title)).to_have_count(int(title in shown))


@pytest.mark.parametrize("name", ["gaps", "settings", "grades"])
def test_pages_fit_a_narrow_screen(desk: Desk, name: str) -> None:
    desk.page.set_viewport_size({"width": 375, "height": 700})
    desk.sign_in(f"#/{name}")
    expect(desk.page.locator(".case, tbody tr, .graded .card").last).to_be_attached()

    assert _overflow(desk.page) == []


def _overflow(page: Page) -> list[str]:
    """Elements that stand out of the page, but for those that scroll by themselves."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter((one) => !one.closest(".scroll, select")
        && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))"""
    )
    return found
