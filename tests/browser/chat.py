"""What a visitor can do with the widget, in their words."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.contract_site import ContractSite


class Chat:
    def __init__(self, page: Page, site: ContractSite) -> None:
        self.page = page
        self.site = site

    @property
    def launcher(self) -> Locator:
        return self.page.locator("handrail-widget .launcher")

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("dialog", name="Tillwick assistant")

    @property
    def composer(self) -> Locator:
        return self.page.get_by_label("Your question")

    @property
    def person(self) -> Locator:
        return self.panel.locator("header").get_by_role("button", name="Talk to a person")

    @property
    def replies(self) -> Locator:
        """Those that are whole; one that is still being written is none yet."""
        return self.page.locator("article.message:not(.visitor, [data-routing=writing])")

    def visit(self, query: str = "") -> "Chat":
        self.page.goto(f"{self.site.url}/{query}")
        return self

    def open(self, query: str = "") -> "Chat":
        self.visit(query)
        self.launcher.click()
        expect(self.composer).to_be_focused()
        return self

    def send(self, question: str) -> None:
        self.composer.fill(question)
        self.composer.press("Enter")

    def ask(self, question: str) -> Locator:
        """Sends the question and returns the message that answers it, once the turn is over."""
        before = self.replies.count()
        self.send(question)
        expect(self.replies).to_have_count(before + 1)
        self.over()
        return self.replies.nth(before)

    def over(self) -> None:
        """No turn is under way."""
        expect(self.page.locator(".send.halt")).to_be_hidden()

    def stored(self) -> str | None:
        found: str | None = self.page.evaluate("sessionStorage.getItem('handrail:pub_demo')")
        return found
