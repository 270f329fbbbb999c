"""axe-core finds nothing on any state of the desk, light or dark, on a desktop or a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser import desk_reports
from tests.browser.desk import Desk
from tests.browser.desk_records import MIRA
from tests.browser.desk_state import DeskSite
from tests.browser.waiting import PATIENCE_MS

AXE = Axe()


def violations(desk: Desk) -> list[str]:
    found = AXE.run(desk.page, options={"resultTypes": ["violations"]})
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


WIDE, PHONE = (1280, 800), (390, 844)


@pytest.fixture(
    params=[("light", WIDE), ("dark", WIDE), ("light", PHONE), ("dark", PHONE)], ids=lambda one: f"{one[0]}-{one[1][0]}"
)
def audited(request: pytest.FixtureRequest, browser: Browser, desk_site: DeskSite) -> Desk:
    """A desk whose page lets axe in, which a strict policy does not."""
    scheme, (width, height) = request.param
    context = browser.new_context(
        bypass_csp=True, reduced_motion="reduce", color_scheme=scheme, viewport={"width": width, "height": height}
    )
    context.set_default_timeout(PATIENCE_MS)
    request.addfinalizer(context.close)
    return Desk(context.new_page(), desk_site)


def test_the_sign_in_and_an_empty_queue(audited: Desk) -> None:
    audited.visit()
    expect(audited.page.get_by_label("Password")).to_be_visible()
    assert violations(audited) == []
    audited.sign_in()
    expect(audited.page.get_by_text("Nobody is waiting")).to_be_visible()
    assert violations(audited) == []


def test_the_queue_and_a_conversation_of_every_kind(audited: Desk) -> None:
    site = audited.site
    for place in range(30):
        site.add(f"c{place}", place=place)
    site.add("mine", state="person", owner=MIRA)
    site.say("mine", "agent", "Hello", user_id="u1", name="Mira", tell=False)
    site.conversations["mine"]["notes"].append(
        {"id": "n", "user_id": "u2", "name": "Ayla", "text": "A note", "at": 1e9}
    )
    audited.sign_in()
    audited.page.get_by_text("Filter and sort").click()
    assert violations(audited) == []
    for id_ in ("c0", "mine"):
        audited.page.evaluate(f"location.hash = '#/queue/{id_}'")
        audited.page.locator(".evidence summary").first.click()
        assert violations(audited) == [], id_
    audited.page.get_by_role("button", name="Internal note").click()
    assert violations(audited) == []


def test_dialogs_and_notices(audited: Desk) -> None:
    audited.site.add("mine", state="person", owner=MIRA)
    audited.open("mine")
    for name in ("Resolve", "Transfer"):
        audited.do(name)
        expect(audited.page.get_by_role("dialog")).to_be_visible()
        assert violations(audited) == [], name
        audited.page.keyboard.press("Escape")
    audited.page.get_by_role("button", name="Canned reply").click()
    expect(audited.page.get_by_label("Search canned replies")).to_be_focused()
    assert violations(audited) == []
    audited.page.keyboard.press("Escape")
    audited.page.get_by_role("button", name="Draft").click()
    expect(audited.page.locator(".drafted")).to_contain_text("Drafted by the assistant")
    audited.page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(audited.page.get_by_role("dialog")).to_be_visible()
    assert violations(audited) == []
    audited.page.keyboard.press("Escape")
    audited.do("Hand back")
    expect(audited.notice).not_to_be_empty()
    assert violations(audited) == []


def test_reports(audited: Desk) -> None:
    audited.sign_in("#/reports")
    expect(audited.page.locator("canvas")).to_have_count(7)
    assert violations(audited) == []


def test_grading(audited: Desk) -> None:
    audited.site.fall = desk_reports.FALL
    audited.sign_in("#/grades")
    audited.page.get_by_role("group", name="Grade “Question 1?”").get_by_role("button", name="2").click()
    expect(audited.page.get_by_text("Judge: 2")).to_be_visible()
    assert violations(audited) == []


def test_gaps_drafts_and_cases(audited: Desk) -> None:
    audited.sign_in("#/gaps")
    expect(audited.page.locator(".case")).to_have_count(2)
    assert violations(audited) == []
    for name in ("Edit “Do you ship to Norway?”", "Read “Moving a deposit”"):
        audited.page.get_by_role("button", name=name).click()
        expect(audited.page.get_by_role("dialog")).to_be_visible()
        assert violations(audited) == [], name
        audited.page.keyboard.press("Escape")


def test_settings_letters_visitors_and_the_audit_log(audited: Desk) -> None:
    audited.sign_in("#/settings")
    page = audited.page
    expect(page.get_by_text("the receiver answered 503")).to_have_count(2)
    page.get_by_label("Visitor id or e-mail address").fill("eve@example.net")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Download as JSON")).to_be_visible()
    assert violations(audited) == []
    for name in ("Delete everything", "New user", "New reply", "Right now"):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert violations(audited) == [], name
        page.keyboard.press("Escape")
