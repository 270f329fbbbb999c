"""The evaluation report in a browser without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from eval.compare import compare
from eval.html import page as report
from tests.eval.runs_of import a_run, held, routed


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_it_opens_offline_fits_and_is_accessible(browser: Browser, tmp_path: Path, width: int, scheme: Any) -> None:
    a, b = held(a_run("a", routed("1110" * 20))), held(a_run("b", routed("1011" * 20)))
    path = tmp_path / "report.html"
    path.write_text(report(a, dict.fromkeys(range(1, 81), "How do I reset my password? " * 4), b, compare(a, b)))
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True, bypass_csp=True
    )
    opened = context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))

    opened.goto(path.as_uri())
    opened.locator("summary").last.click()

    assert asked == [path.as_uri()]
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    drawn = opened.locator("figure svg")
    assert drawn.count() == 4
    assert all(drawn.nth(n).bounding_box()["height"] > 100 for n in range(4))  # type: ignore[index]
    found = Axe().run(opened, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in found] == []
    context.close()
