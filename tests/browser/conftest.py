"""One browser for the whole suite, a fresh context for each test, and a site that answers by the contract."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite, serve_contract_site
from tests.browser.desk import Desk
from tests.browser.desk_site import serve_desk_site
from tests.browser.desk_state import DeskSite
from tests.browser.waiting import PATIENCE_MS
from tests.passwords import cheap_hashes as cheap_hashes

LEFT_OUT = (
    # For every new context a window that nobody sees prepares the list under its address bar: two thirds of the work.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    # What Playwright leaves out: of two such lists Chromium heeds the last.
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)

ARGUMENTS = [
    f"--disable-features={','.join(LEFT_OUT)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


SLOWDOWN = float(os.environ.get("HANDRAIL_TEST_SLOWDOWN", "0"))
"""How many times slower pages are made, and by how many tenths of a second each request: finds tests that race."""


class Launched(Protocol):
    """Playwright's kind of browser, of either API."""

    @property
    def executable_path(self) -> str: ...


def chromium_path(chromium: Launched) -> str:
    """Playwright's own, or the system's."""
    for path in (chromium.executable_path, shutil.which("chromium"), shutil.which("chromium-browser")):
        if path and Path(path).exists():
            return path
    pytest.fail("The browser tests need Chromium: install the Debian package `chromium`.", pytrace=False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        launched = playwright.chromium.launch(executable_path=chromium_path(playwright.chromium), args=ARGUMENTS)
        if SLOWDOWN:
            _slow_down(launched)
        yield launched
        launched.close()


def _slow_down(browser: Browser) -> None:
    fast = browser.new_context

    def slow(page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        session.send("Network.enable")
        away = {"offline": False, "latency": SLOWDOWN * 100, "downloadThroughput": -1, "uploadThroughput": -1}
        session.send("Network.emulateNetworkConditions", away)

    def new_context(**options: Any) -> BrowserContext:
        made = fast(**options)
        made.on("page", slow)
        return made

    browser.new_context = new_context  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def _running_site() -> Iterator[ContractSite]:
    with serve_contract_site() as site:
        yield site


@pytest.fixture
def contract_site(_running_site: ContractSite) -> ContractSite:
    _running_site.reset()
    return _running_site


def _is_refusal(text: str) -> bool:
    return "Content Security Policy" in text or "Trusted" in text


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A desktop page that fails its test on any uncaught error or refused policy."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if _is_refusal(message.text) else None)
    yield opened
    context.close()
    assert problems == []


@pytest.fixture
def chat(page: Page, contract_site: ContractSite) -> Chat:
    return Chat(page, contract_site)


@pytest.fixture(scope="session")
def _running_desk() -> Iterator[DeskSite]:
    with serve_desk_site() as site:
        yield site


@pytest.fixture
def desk_site(_running_desk: DeskSite) -> DeskSite:
    _running_desk.cut()
    _running_desk.reset()
    return _running_desk


@pytest.fixture
def desk(page: Page, desk_site: DeskSite) -> Desk:
    return Desk(page, desk_site)
