"""axe-core finds nothing on any state, light or dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from handrail.turn.present import response
from handrail.types import Outcome
from tests.api.scripted import turn_of
from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite, limited
from tests.browser.replies import REPLIES
from tests.browser.waiting import PATIENCE_MS
from tests.sections import BOTH, CLOSEST
from tests.stages import ask

AXE = Axe()
# The whole page is checked in the first state; after that only the widget can have changed.
WIDGET = {"include": [["handrail-widget"]]}


def violations(page: Page, whole_page: bool = False) -> list[str]:
    found = AXE.run(page, context=None if whole_page else WIDGET, options={"resultTypes": ["violations"]})
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


@pytest.fixture(params=["light", "dark"])
def audited(request: pytest.FixtureRequest, browser: Browser, contract_site: ContractSite) -> Chat:
    """A chat whose page lets axe in, which a strict policy does not."""
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", color_scheme=request.param)
    context.set_default_timeout(PATIENCE_MS)
    request.addfinalizer(context.close)
    return Chat(context.new_page(), contract_site)


def test_the_launcher_and_the_welcome_are_accessible(audited: Chat) -> None:
    audited.visit()
    assert violations(audited.page, whole_page=True) == []
    audited.launcher.click()
    expect(audited.composer).to_be_focused()
    audited.panel.get_by_role("button", name="More options").click()
    assert violations(audited.page) == []


def test_every_routing_is_accessible(audited: Chat) -> None:
    audited.open()
    for keyword in REPLIES:
        reply = audited.ask(keyword)
        for fold in reply.locator("summary").all():
            fold.click()
        assert violations(audited.page) == [], keyword
        audited.page.evaluate("handrail('reset')")


@pytest.mark.parametrize("result", [BOTH, CLOSEST], ids=["pieces", "closest"])
def test_sections_and_cards_are_accessible_folded_and_unfolded(audited: Chat, result: Outcome) -> None:
    audited.site.change(**response(turn_of(ask(), result)))
    reply = audited.open().ask("How?")
    closed = reply.locator(".piece .unfold, .card button[aria-expanded=false]")
    expect(closed.first).to_be_visible()
    assert violations(audited.page) == []
    closed.first.click()
    assert violations(audited.page) == []


@pytest.mark.parametrize("accent", ["#ffe14d", "#7aa7ff", "#000000"])
def test_any_colour_of_the_operators_can_be_read(audited: Chat, accent: str) -> None:
    audited.site.config["brand"] = {**audited.site.config["brand"], "accent": accent}
    audited.open()
    for keyword in ("calendar", "furious"):
        audited.ask(keyword)
    audited.ask("domain").locator("summary").first.click()

    assert violations(audited.page) == []


def test_markdown_is_accessible(audited: Chat) -> None:
    audited.open().ask("# Plans\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```\ncode\n```\n\n> quoted\n\n- one\n  1. two `x`")

    assert violations(audited.page) == []


def test_the_form_its_errors_and_its_receipt_are_accessible(audited: Chat) -> None:
    audited.open()
    audited.person.click()
    audited.page.get_by_label("E-mail").fill("nobody")
    audited.page.get_by_role("button", name="Send to our team").click()
    assert violations(audited.page) == []

    audited.page.get_by_label("E-mail").fill("nobody@example.com")
    audited.page.get_by_role("button", name="Send to our team").click()
    expect(audited.panel.get_by_text("HR-7K2M9Q")).to_be_visible()
    assert violations(audited.page) == []


def test_the_menu_and_what_it_opens_are_accessible(audited: Chat) -> None:
    audited.site.config["transcript_mail"] = True
    now = {"updated_at": 1_790_000_000, "last_text": "Thanks!"}
    past = [
        {"id": "c-1", "state": "bot", "subject": "domain", **now},
        {"id": "c-2", "state": "resolved", "subject": "Charged twice", **now},
    ]
    audited.page.route("**/conversations", lambda route: route.fulfill(json={"items": past}))
    audited.open().ask("domain")
    menu = audited.panel.get_by_role("button", name="More options")
    menu.click()
    expect(audited.page.get_by_role("switch")).to_be_visible()
    assert violations(audited.page) == []

    audited.page.get_by_role("button", name="Your conversations").click()
    expect(audited.page.locator(".past-line")).to_have_count(2)
    assert violations(audited.page) == []
    audited.page.keyboard.press("Escape")
    expect(audited.composer).to_be_focused()

    menu.click()
    audited.page.get_by_role("button", name="E-mail transcript").click()
    audited.page.get_by_role("button", name="Send transcript").click()
    assert violations(audited.page) == []
    audited.page.keyboard.press("Escape")
    expect(audited.composer).to_be_focused()


def test_limits_and_failures_are_accessible(audited: Chat) -> None:
    audited.site.ask = lambda _body: limited(600)
    audited.open().send("one")
    expect(audited.panel.locator(".notice.limited")).to_be_visible()
    assert violations(audited.page) == []

    audited.composer.fill("x" * 4001)
    assert violations(audited.page) == []

    audited.composer.fill("two")
    audited.page.route("**/chat/stream", lambda route: route.abort())
    audited.composer.press("Enter")
    expect(audited.page.get_by_role("button", name="Try again")).to_be_visible()
    assert violations(audited.page) == []


def test_the_demo_page_is_accessible(audited: Chat) -> None:
    audited.page.goto(f"{audited.site.url}/demo/")
    assert violations(audited.page, whole_page=True) == []
    audited.page.goto(f"{audited.site.url}/demo/#/store")
    assert violations(audited.page, whole_page=True) == []
