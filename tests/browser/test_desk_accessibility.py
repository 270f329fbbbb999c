"""axe-core finds nothing on any state of the desk, light or dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.desk import Desk
from tests.browser.desk_records import MIRA
from tests.browser.desk_site import DeskSite

AXE = Axe()


def violations(desk: Desk) -> list[str]:
    found = AXE.run(desk.page, options={"resultTypes": ["violations"]})
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


@pytest.fixture(params=["light", "dark"])
def audited(request: pytest.FixtureRequest, browser: Browser, desk_site: DeskSite) -> Desk:
    """A desk whose page lets axe in, which a strict policy does not."""
    context = browser.new_context(
        bypass_csp=True, reduced_motion="reduce", color_scheme=request.param, viewport={"width": 1280, "height": 800}
    )
    context.set_default_timeout(5000)
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
    assert violations(audited) == []
    audited.page.keyboard.press("Escape")
    audited.page.get_by_role("button", name="Draft").click()
    expect(audited.page.locator(".drafted")).not_to_be_empty()
    audited.page.get_by_role("button", name="Keyboard shortcuts").click()
    assert violations(audited) == []
    audited.page.keyboard.press("Escape")
    audited.do("Hand back")
    expect(audited.notice).not_to_be_empty()
    assert violations(audited) == []


@pytest.mark.parametrize("name", ["reports", "gaps", "settings"])
def test_the_other_pages(audited: Desk, name: str) -> None:
    audited.sign_in(f"#/{name}")
    if name == "reports":
        expect(audited.page.locator("canvas")).to_have_count(5)
    audited.page.wait_for_timeout(200)

    assert violations(audited) == []
