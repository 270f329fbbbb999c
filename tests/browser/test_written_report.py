"""A report from a template in a browser without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from handrail.report.page import page as report
from tests.report.test_formats import REPORT


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_it_opens_offline_fits_is_accessible_and_its_marks_lead_to_sources(
    browser: Browser, tmp_path: Path, width: int, scheme: Any
) -> None:
    path = tmp_path / "report.html"
    path.write_text(report(REPORT), encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True, bypass_csp=True
    )
    opened = context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("dialog", lambda dialog: asked.append(dialog.message))

    opened.goto(path.as_uri())
    opened.locator("a.cite").first.click()

    assert asked == [path.as_uri()]
    assert opened.evaluate("location.hash") == "#source-1"
    assert opened.locator("#source-1").is_visible()
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(opened, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in found] == []
    context.close()
