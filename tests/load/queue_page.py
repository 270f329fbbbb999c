"""When the desk's queue can be worked with: `python -m tests.load.queue_page [--tickets 1000] [--rounds 20]`.

Opens the page in a browser with nothing cached, a fresh one each round, signed in, before a real server. Prints as
JSON, in milliseconds since the navigation began: when rows are painted, when a key pressed then has moved to the first
conversation, and when that conversation's messages are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, StorageState, sync_playwright

from tests.api.process import process
from tests.api.two_sides import PASSWORD, folder_with_people
from tests.browser.conftest import ARGUMENTS, chromium_path
from tests.browser.waiting import eventually
from tests.load.desk import fill, spread

WATCH = """
window.marks = {};
const painted = (name) => requestAnimationFrame(() => setTimeout(() => { marks[name] ??= performance.now(); }));
new MutationObserver(() => {
  if (document.querySelector('.row a')) painted('rows');
  if (document.querySelector('.messages > li')) painted('messages');
}).observe(document, { childList: true, subtree: true });
addEventListener('hashchange', () => { marks.key ??= performance.now(); });
"""
ROWS_THERE = """
new Promise((done) => {
  const look = () => (window.marks?.rows ? done() : requestAnimationFrame(look));
  look();
})
"""
"""Looked for in every frame; a locator waits up to half a second between looks."""
MARKS = {"rows": "rows_shown_ms", "key": "key_heeded_ms", "messages": "conversation_shown_ms"}
PATIENCE_MS = 60_000


def signed_in(browser: Browser, base: str) -> StorageState:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{base}/desk")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator(".row a").first.wait_for()
    state = context.storage_state()
    context.close()
    return state


def opened(browser: Browser, base: str, state: StorageState) -> dict[str, float]:
    """One look at the queue."""
    context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{base}/desk", wait_until="commit")
    page.evaluate(ROWS_THERE)
    page.keyboard.press("j")
    eventually(page, lambda: sorted(page.evaluate("Object.keys(marks)")), sorted(MARKS))
    marks: dict[str, float] = page.evaluate("marks")
    context.close()
    return marks


def measure(tickets: int, rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = asyncio.run(folder_with_people(Path(name), "ada"))
        asyncio.run(fill(folder, tickets))
        with process(folder) as (base, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(playwright.chromium), args=ARGUMENTS)
            state = signed_in(browser, base)
            looks = [opened(browser, base, state) for _ in range(rounds)]
            browser.close()
    spreads = {said: spread([look[mark] for look in looks]) for mark, said in MARKS.items()}
    return {"tickets": tickets, "n": rounds, **spreads}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tickets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=20)
    chosen = parser.parse_args()
    sys.stdout.write(json.dumps(measure(chosen.tickets, chosen.rounds), indent=1) + "\n")


if __name__ == "__main__":
    main()
