"""Sections that no question finds, with real models and a real index."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.assembly.reach import unreached
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.records.database import open_database
from tests.api.test_new_version import SMALL
from tests.records.talks import evidence, store
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.anyio]

REFUND = "Open **Orders**, choose the order and select **Refund**. The money is back in {days} days."


async def test_a_section_that_its_near_duplicates_shadow_is_named_until_a_visitor_asks_for_it(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for year in range(2019, 2026):
        (pages / f"refund-{year}.md").write_text(f"# Refund an order\n\n{REFUND.format(days=year - 2015)}\n")
    (pages / "hours.md").write_text("# Set your opening hours\n\nOpen **Settings** and choose **Hours**.\n")
    (pages / "zebra.md").write_text(f"# Refund an order\n\n{REFUND.format(days=3)} Zebra crossings are free.\n")
    settings = sample_settings(
        tmp_path / "data", **SMALL, STORAGE__DATABASE_URL=f"sqlite+aiosqlite:///{tmp_path / 'r.db'}"
    )
    run(settings, [Folder(pages, "", 100_000)])

    found, of = await unreached(settings, 1000.0)

    assert of == 9
    assert "zebra" in {one.article for one in found}
    assert "hours" not in {one.article for one in found}
    assert all("found instead: Refund an order" in one.words for one in found)

    database = await open_database(settings.storage)
    await store(database, evidence("a", 900.0, question="Are zebra crossings free?"))
    await database.close()
    assert "zebra" not in {one.article for one in (await unreached(settings, 1000.0))[0]}
