"""What an agent can do at the desk, in their words."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.desk_records import ME
from tests.browser.desk_site import PASSWORD
from tests.browser.desk_state import DeskSite
from tests.browser.waiting import eventually


class Desk:
    def __init__(self, page: Page, site: DeskSite) -> None:
        self.page = page
        self.site = site

    @property
    def rows(self) -> Locator:
        return self.page.locator(".row")

    @property
    def composer(self) -> Locator:
        return self.page.locator(".desk-composer textarea")

    @property
    def messages(self) -> Locator:
        return self.page.locator(".messages > li")

    @property
    def notice(self) -> Locator:
        return self.page.locator(".notice")

    def visit(self, path: str = "") -> None:
        self.page.goto(f"{self.site.url}/desk/{path}")

    def sign_in(self, path: str = "") -> Desk:
        self.visit(path)
        self.page.get_by_label("E-mail").fill(str(ME["email"]))
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("navigation", name="Pages")).to_be_visible()
        eventually(self.page, lambda: bool(self.site.listeners), True)
        return self

    def open(self, id_: str) -> Desk:
        self.sign_in(f"#/queue/{id_}")
        expect(self.messages.first).to_be_visible()
        return self

    def do(self, name: str) -> None:
        self.page.locator(".actions").get_by_role("button", name=name).click()

    def message(self, text: str) -> Locator:
        return self.messages.filter(has_text=text)
