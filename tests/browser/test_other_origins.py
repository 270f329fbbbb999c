"""The real server and its widget in pages of another origin, in frames, and under a path of somebody's site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.browser.prefix_proxy import PREFIX, proxy
from tests.browser.served import served
from tests.browser.sides import Agent, Visitor, add_agent, own_page

TAG = '<script async src="{server}/widget/v1/widget.js" data-widget="default" data-lang="en"></script>'


@dataclass
class Shop:
    """A page of another origin, and what it sends with it."""

    server: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    sandbox: str | None = None
    """Of a frame around the page; None for none."""

    def app(self) -> Starlette:
        async def page(_request: Request) -> Response:
            tag = TAG.format(server=self.server)
            html = (
                f"<!doctype html><html lang=en><title>Shop</title><link rel=icon href=data:,>{tag}<h1>Shop</h1></html>"
            )
            return HTMLResponse(html, headers=dict(self.headers))

        async def framed(_request: Request) -> Response:
            frame = f'<iframe sandbox="{self.sandbox}" src="/" width=900 height=760></iframe>'
            return HTMLResponse(f"<!doctype html><title>Outside</title><link rel=icon href=data:,>{frame}")

        return Starlette(routes=[Route("/", page), Route("/framed", framed)])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Shop]]:
    shop = Shop()
    with served(shop.app()) as url:
        settings = settings_in(tmp_path_factory.mktemp("shop"), server={"cors_origins": [url]})
        with served(create_app(settings, ScriptedAssistant())) as server:
            shop.server = server
            yield url, shop


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with own_page(browser) as page:
        yield page


def test_a_strict_policy_and_an_isolated_page_of_another_origin(page: Page, shop: tuple[str, Shop]) -> None:
    url, kept = shop
    policy = (
        f"default-src 'none'; script-src {kept.server}; connect-src {kept.server}; img-src data:; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    kept.headers = (
        ("Content-Security-Policy", policy),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    )
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(url)
    visitor = Visitor(page)
    visitor.launcher.click()
    visitor.say("How do I connect a domain?")

    expect(visitor.replies("answered")).to_contain_text("choose Domains")
    assert page.evaluate("crossOriginIsolated") is True
    assert refused == []


@pytest.mark.parametrize(
    ("sandbox", "routing"), [("allow-scripts allow-same-origin", "answered"), ("allow-scripts", None)]
)
def test_a_sandboxed_frame_answers_or_says_that_it_cannot(
    page: Page, shop: tuple[str, Shop], sandbox: str, routing: str | None
) -> None:
    """A frame without an origin of its own cannot be told from any other page, so the server does not answer it."""
    url, kept = shop
    kept.headers, kept.sandbox = (), sandbox
    page.goto(f"{url}/framed")
    frame = page.frame_locator("iframe")

    frame.locator("handrail-widget .launcher").click()
    frame.get_by_label("Your question").fill("How do I connect a domain?")
    frame.get_by_label("Your question").press("Enter")

    if routing:
        expect(frame.locator(f"[data-routing={routing}]")).to_contain_text("choose Domains")
    else:
        expect(frame.get_by_role("button", name="Try again")).to_be_visible()


def test_everything_works_under_a_path_of_somebodys_site(page: Page, browser: Browser, tmp_path: Path) -> None:
    settings = settings_in(tmp_path, server={"root_path": PREFIX, "demo_mode": True})
    person = add_agent(settings)
    with served(create_app(settings, ScriptedAssistant())) as server, served(proxy(server)) as site:
        base = f"{site}{PREFIX}"
        seen: list[str] = []
        page.on("request", lambda request: seen.append(request.url))
        page.goto(f"{base}/")
        assert page.url == f"{base}/demo/"
        visitor = Visitor(page)
        visitor.launcher.click()
        visitor.say("How do I connect a domain?")
        expect(visitor.replies("answered")).to_be_visible()

        with own_page(browser) as desk:
            desk.on("request", lambda request: seen.append(request.url))
            Agent(desk, base).sign_in(*person)
            desk.reload()
            expect(desk.get_by_text("Nobody is waiting")).to_be_visible()
            cookies = desk.context.cookies()
            assert {cookie["path"].startswith(f"{PREFIX}/desk") for cookie in cookies} == {True}
            desk.goto(f"{base}/docs")
            expect(desk.get_by_text("/ask").first).to_be_visible()
        assert [url for url in seen if not url.startswith(f"{base}/")] == []
