"""Waiting for what Playwright cannot see, such as what has reached a server."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page

PATIENCE_MS = 30_000
"""How long a page may take to show what is expected of it: a busy machine is no failure."""


def eventually(page: Page, read: Callable[[], object], wanted: object) -> None:
    """Reads again and again, while the page goes on, until it is `wanted`."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while read() != wanted and time.monotonic() < until:
        page.wait_for_timeout(20)
    assert read() == wanted
