"""The documentation in a browser without a network, with a real answer in it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from rich.console import Console

from eval import record
from eval.hub import build
from tests.eval.test_docs_hub import talks
from tests.sample import sample_settings

CLOSELY = ("index.html", "flow.html", "answer.html", "figures.html", "docs.html", "settings.html", "evaluation.html")
"""Pages with something of their own; the others are text."""


@pytest.fixture(scope="module")
def pages(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    runs, out = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("hub")
    settings = sample_settings(sample_index, KNOWLEDGE__KB="sample")
    record.write(talks(settings, "20260301T000000Z-talks-new", 0.4926), runs)
    with ThreadPoolExecutor(1) as aside:  # Playwright keeps an event loop on this thread
        return aside.submit(build, settings, out, runs, Console(quiet=True)).result()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_every_page_opens_offline_fits_and_is_accessible(
    browser: Browser, pages: list[Path], width: int, scheme: Any
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True, bypass_csp=True
    )
    opened = context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))

    for path in pages:
        opened.goto(path.as_uri())
        assert opened.evaluate("document.documentElement.scrollWidth") <= width, path.name
        if path.name in CLOSELY:
            found = Axe().run(opened, options={"resultTypes": ["violations"]}).response["violations"]
            assert [(path.name, rule["id"], rule["nodes"][0]["target"]) for rule in found] == []

    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri() for path in pages]
    context.close()


def test_the_chart_keeps_its_words_in_their_boxes_and_keys_skip_the_menu(browser: Browser, pages: list[Path]) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800}, offline=True)
    opened = context.new_page()
    opened.goto((pages[0].parent / "flow.html").as_uri())

    overflowing = opened.evaluate(
        """() => [...document.querySelectorAll("svg.flow text")].filter(text => {
            let box = text;
            while (box.tagName !== "rect") box = box.previousElementSibling;
            const [inner, outer] = [text.getBBox(), box.getBBox()];
            return inner.x + inner.width > outer.x + outer.width || inner.y + inner.height > outer.y + outer.height;
        }).map(text => text.textContent)"""
    )
    opened.keyboard.press("Tab")
    opened.keyboard.press("Enter")

    assert overflowing == []
    assert opened.evaluate("location.hash") == "#content"
    context.close()
