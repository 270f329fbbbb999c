"""A server that keeps its knowledge base in step with its sources."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.records.database import open_database
from handrail.settings import WELL_KNOWN, load_settings
from tests.api.test_desk_learning import people
from tests.api.test_new_version import HOURS, ask, ingested, serving, wait_for
from tests.knowledge.help_server import HelpServer, help_server
from tests.records.talks import store

pytestmark = [pytest.mark.models, pytest.mark.slow, pytest.mark.anyio]

TRANSFER = """<main><h1>How can I pay for my plan by bank transfer?</h1>
<p>Bank transfer is available for yearly plans.</p>
<ol><li>Open <b>Billing</b> and choose <b>Payment method</b>.</li><li>Select <b>Bank transfer</b>.</li></ol></main>"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HelpServer]:
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    with help_server() as server:
        server.html("/hours", f"<main><h1>Set your opening hours</h1><p>{HOURS}</p></main>")
        server.html("/transfer", TRANSFER)
        server.sitemap("/hours", "/transfer")
        (tmp_path / "config.toml").write_text(f"""
[knowledge]
kb = "shop"
sync_every_minutes = 1
[limits]
enabled = false
[server]
demo_mode = false
[models]
late = "none"
foreign = "none"
[suggest]
enabled = false
[[sources]]
kind = "site"
where = "{server.url}"
private_network = true
per_minute = 6000
""")
        yield server


async def test_a_server_syncs_by_itself_and_answers_from_what_it_fetched(site: HelpServer, tmp_path: Path) -> None:
    settings = load_settings()
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "hours.md").write_text(HOURS)
    ingested(settings, tmp_path / "pages")
    database = await open_database(settings.storage)
    await store(database, *people(expires=4e9))
    await database.close()

    async with serving(settings) as client:
        client.cookies.set("handrail_desk", "session-token-lead")
        client.headers["X-CSRF-Token"] = "csrf"

        async def synced() -> bool:
            told = (await client.get("/desk/api/sources")).json()
            return told["last"] is not None and not told["running"]

        await wait_for(synced)
        told = (await client.get("/desk/api/sources")).json()
        assert [one["kind"] for one in told["items"]] == ["site"]
        assert told["last"]["added"] == ["transfer"]

        async def answered() -> bool:
            return "Billing" in (await ask(client))["answer"]

        await wait_for(answered)

        site.html("/transfer", TRANSFER.replace("Billing", "Invoices"))
        assert (await client.post("/desk/api/sources/sync")).status_code == 202
        assert (await client.post("/desk/api/sources/sync")).status_code == 409

        async def changed() -> bool:
            return "Invoices" in (await ask(client))["answer"]

        await wait_for(changed)
        assert (await client.get("/desk/api/sources")).json()["last"]["changed"] == ["transfer"]
