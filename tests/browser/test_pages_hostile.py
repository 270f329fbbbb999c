"""The other pages: the demo with its address and its embedded chat, and reports that leave as HTML files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from eval.html import page as evaluation
from handrail.answer.gate import Band
from handrail.report import Asked, Near, Report, Source, Written
from handrail.report.page import page as written
from handrail.types import Claim
from tests.browser.chat import Chat
from tests.browser.hostile import ADDRESSES, TEXTS, Watch, made_of
from tests.browser.waiting import PATIENCE_MS
from tests.eval.runs_of import a_run, held, routed


def of_a_report() -> str:
    addresses = cycle(ADDRESSES)
    sources = {f"a/{n}": Source(title=text, url=next(addresses)) for n, text in enumerate(TEXTS)}
    near = tuple(Near(source=source, probability=0.3) for source in sources.values())
    open_ = tuple(
        Asked(text=text, probability=0.2, answered=False, found=Band.CLOSEST, closest=near[:3]) for text in TEXTS
    )
    claims = tuple(Claim(text, (id_,)) for text, id_ in zip(TEXTS, sources, strict=True))
    parts = (
        *(Written(heading=text, how="written", claims=(), sources={}) for text in TEXTS[:20]),
        Written(heading="All", how="written", claims=claims, sources=sources, asked=open_),
        Written(heading="Failed", how="insufficient", failed=TEXTS[0]),
    )
    return written(Report(title=TEXTS[1], kb=TEXTS[2], kb_version="v", date="d", model=TEXTS[3], parts=parts))


def of_an_evaluation() -> str:
    run = held(a_run(TEXTS[1], routed("10" * (len(TEXTS) // 2)), provenance={"kb": {"name": TEXTS[2]}}))
    rows = [{**row, "id": text, "error": text} for row, text in zip(run["rows"], TEXTS, strict=True)]
    return evaluation({**run, "rows": rows}, dict(enumerate(TEXTS, 1)))


@pytest.mark.parametrize("html", [of_a_report, of_an_evaluation])
def test_a_report_that_is_opened_as_a_file_runs_nothing_and_asks_nobody(
    browser: Browser, tmp_path: Path, html: Callable[[], str]
) -> None:
    """Nothing but the file itself protects whoever opens it."""
    path = tmp_path / "report.html"
    path.write_text(html(), encoding="utf-8")
    context = browser.new_context(bypass_csp=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    watch = Watch(page)
    page.goto(path.as_uri())
    page.evaluate("() => { for (const one of document.querySelectorAll('details')) one.open = true }")
    page.wait_for_load_state("networkidle")

    watch.nothing_happened(path.as_uri())
    assert page.evaluate("document.body.textContent").count("window.pwned=1") >= len(TEXTS) // 2
    context.close()


@pytest.mark.parametrize("where", ["search", "hash"])
def test_a_page_is_not_made_of_its_address(chat: Chat, where: str) -> None:
    watch = Watch(chat.page)
    for text in TEXTS[::20]:
        chat.page.goto("about:blank")
        chat.page.goto(f"{chat.site.url}/{'?q=' if where == 'search' else '#/'}{quote(text)}")
        watch.nothing_happened(chat.site.url, "about:")


def test_the_watch_sees_what_markup_does(browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    watch = Watch(page)
    page.set_content("".join(TEXTS), wait_until="commit")
    expect(page.locator("object").first).to_be_attached()

    assert page.evaluate("window.pwned") == 1
    assert made_of(page)
    with pytest.raises(AssertionError):
        watch.nothing_happened()
    context.close()
