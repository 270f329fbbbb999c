"""Articles that a lead brings to the desk as files, before the real application."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.api.test_new_version import SMALL, ingested, shop
from tests.browser.real_site import serve_real_site
from tests.browser.sides import Agent, add_agent
from tests.browser.waiting import PATIENCE_MS
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.slow]

SYNC_MS = 4 * PATIENCE_MS
"""A process is started for each."""
TRANSFER = """# Pay for a plan by bank transfer

Bank transfer is available for yearly plans.

1. Open **Billing** and choose **Payment method**.
2. Select **Bank transfer** and copy the account number 4711 shown there.
"""


@pytest.fixture
def agent(tmp_path: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    records = tmp_path / "r.db"
    settings, pages = shop(tmp_path)
    index = settings.storage.data_dir
    ingested(settings, pages)
    folders = json.dumps([str(tmp_path / "wiki")])
    for name, value in {**SMALL, "STORAGE__DATA_DIR": str(index), "KNOWLEDGE__DESK_FOLDERS": folders}.items():
        monkeypatch.setenv(f"HANDRAIL__{name}", value)  # for the process that syncs
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.chdir(tmp_path)
    person = add_agent(sample_settings(index, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{records}"))
    with serve_real_site(
        index, records, per_minute=1000, overrides=SMALL | {"KNOWLEDGE__DESK_FOLDERS": folders}
    ) as site:
        lead = Agent(page, site.url.removesuffix("/demo"))
        lead.come_in(*person, place="#/articles")
        yield lead


def answer(agent: Agent) -> str:
    with httpx.Client(base_url=agent.base, timeout=60) as visitor:
        token = visitor.post("/visitor", json={}).json()["token"]
        question = {"question": "Can I pay for my yearly plan by bank transfer?"}
        return visitor.post("/ask", json=question, headers={"Authorization": f"Bearer {token}"}).text


def test_a_file_is_brought_reviewed_approved_replaced_and_deleted(agent: Agent, tmp_path: Path) -> None:
    page = agent.page
    file, broken = tmp_path / "transfer.md", tmp_path / "photo.heic"
    file.write_text(TRANSFER)
    broken.write_bytes(b"\x00\x01")

    page.locator("input[type=file]").set_input_files([str(file), str(broken)])

    expect(page.locator(".uploads .error")).to_contain_text("isn't read", timeout=PATIENCE_MS)
    page.get_by_role("button", name="Review transfer.md").click(timeout=PATIENCE_MS)
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".piece ol li")).to_have_count(2)
    assert "4711" not in answer(agent)
    dialog.get_by_label("Tags").fill("billing, payments")
    dialog.get_by_role("button", name="Approve and index").click()

    expect(page.get_by_text("Visitors now get answers from this file")).to_be_visible(timeout=PATIENCE_MS)
    assert "4711" in answer(agent)
    expect(page.get_by_role("button", name="Review transfer.md")).to_have_count(0)
    used = page.locator(".rows li", has_text="transfer.md")
    expect(used.locator(".chip")).to_have_text(["1 article", "billing", "payments"])

    file.write_text(TRANSFER.replace("4711", "0815"))
    page.locator("input[type=file]").set_input_files(str(file))
    page.get_by_role("button", name="Review transfer.md").click(timeout=PATIENCE_MS)
    expect(page.get_by_role("dialog")).to_contain_text("This replaces the version that is in use")
    page.get_by_role("button", name="Approve and index").click()
    expect(page.get_by_role("button", name="Versions of transfer.md")).to_be_visible(timeout=PATIENCE_MS)
    assert "0815" in answer(agent)

    page.get_by_role("button", name="Versions of transfer.md").click()
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.get_by_text("The earlier version is in use again")).to_be_visible(timeout=PATIENCE_MS)
    assert "4711" in answer(agent)

    page.get_by_role("button", name="Delete “transfer.md”").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No files have been added at the desk")).to_be_visible(timeout=PATIENCE_MS)
    assert "4711" not in answer(agent)


def test_files_are_dropped_and_markup_in_them_stays_text(agent: Agent) -> None:
    page = agent.page
    expect(page.get_by_text("Drop files here")).to_be_visible(timeout=PATIENCE_MS)
    data = page.evaluate_handle(
        """() => {
            const data = new DataTransfer();
            const text = "<img src=x onerror=\\"document.title='owned'\\"> and [this](javascript:alert(1)).";
            data.items.add(new File(["# Rooms\\n\\nWrite " + text], "rooms.md", { type: "text/markdown" }));
            return data;
        }"""
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": data})

    page.get_by_role("button", name="Review rooms.md").click(timeout=PATIENCE_MS)

    expect(page.get_by_role("dialog").locator(".piece")).to_be_visible()
    expect(page.locator("dialog img, dialog a")).to_have_count(0)
    assert "owned" not in page.title()
    page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(page.get_by_text("No files are waiting")).to_be_visible(timeout=PATIENCE_MS)


def test_a_source_is_declared_looked_at_turned_on_and_removed_with_its_articles(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "transfer.md").write_text(TRANSFER)
    page = agent.page
    page.get_by_role("button", name="Add source").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Kind").select_option("folder")
    expect(dialog.locator("input[type=password]")).to_be_hidden()
    dialog.get_by_label("Address", exact=True).fill("/etc")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("There is no such file or folder in")).to_be_visible(timeout=PATIENCE_MS)

    dialog.get_by_label("Address", exact=True).fill(".")
    dialog.get_by_role("button", name="Save").click()

    expect(page.get_by_text("would add 1, change 0, remove 0")).to_be_visible(timeout=SYNC_MS)
    expect(page.get_by_text("Paused", exact=True)).to_be_visible()
    page.get_by_role("button", name="Turn on").click()
    page.get_by_role("button", name="Sync now").click(timeout=PATIENCE_MS)
    expect(page.get_by_text("1 added, 0 changed, 0 removed")).to_be_visible(timeout=SYNC_MS)
    assert "4711" in answer(agent)

    page.get_by_role("button", name="Remove").click()
    page.get_by_label("Also remove its articles (1)").check()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No sources are declared")).to_be_visible(timeout=SYNC_MS)
    assert "4711" not in answer(agent)


def test_a_sync_is_stopped_and_the_desk_says_that_nothing_has_changed(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "transfer.md").write_text(TRANSFER)
    page = agent.page
    page.get_by_role("button", name="Add source").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Kind").select_option("folder")
    dialog.get_by_label("Address", exact=True).fill(".")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("would add 1, change 0, remove 0")).to_be_visible(timeout=SYNC_MS)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Turn on").click()

    page.get_by_role("button", name="Sync now").click(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Stop", exact=True).click(timeout=PATIENCE_MS)

    expect(page.get_by_text("was stopped, and nothing has changed")).to_be_visible(timeout=SYNC_MS)
    expect(page.get_by_role("heading", name="Sources")).to_be_focused()
    assert "4711" not in answer(agent)
    page.get_by_role("button", name="Sync now").click(timeout=PATIENCE_MS)
    expect(page.get_by_text("1 added, 0 changed, 0 removed")).to_be_visible(timeout=SYNC_MS)
