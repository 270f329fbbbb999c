"""How soon an agent can work with the desk's page: a real browser before a real server."""

from __future__ import annotations

from playwright.async_api import Browser, BrowserContext, async_playwright

from tests.browser.conftest import ARGUMENTS, chromium_path

ROWS_AT = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".row a")) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.rowsAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""
"""Milliseconds from the start of the navigation to the frame after the one with the first row in it."""
A_KEY_MOVES = "() => document.activeElement?.matches('.row a') ? performance.now() : null"


async def page_times(url: str, cookie: str, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds to the queue on the screen, and until a key has moved through it; nothing is cached in between."""
    shown, interactive = [], []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(playwright.chromium), args=ARGUMENTS)
        for _ in range(rounds):
            async with await _agent(browser, url, cookie) as context:
                page = await context.new_page()
                await page.add_init_script(ROWS_AT)
                await page.goto(f"{url}/desk", wait_until="commit")
                rows = await page.wait_for_function("() => window.rowsAt")
                await page.keyboard.press("j")
                moved = await page.wait_for_function(A_KEY_MOVES)
                shown.append(float(await rows.json_value()))
                interactive.append(float(await moved.json_value()))
        await browser.close()
    return shown, interactive


async def _agent(browser: Browser, url: str, cookie: str) -> BrowserContext:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    name, _, value = cookie.partition("=")
    await context.add_cookies([{"name": name, "value": value, "url": f"{url}/desk"}])
    return context
