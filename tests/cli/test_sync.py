"""`handrail sync` with a real site, real models and a real index."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from handrail.assembly import kb_folder
from handrail.assembly.sourcing import desk_sources
from handrail.cli.app import app
from handrail.errors import SettingsError
from handrail.settings import WELL_KNOWN, load_settings
from handrail.settings.sources import Source
from handrail.stores.lock import IndexLock
from tests.knowledge.help_server import HelpServer, Reply, help_server

pytestmark = [pytest.mark.models, pytest.mark.slow]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HelpServer]:
    """Three pages, and a folder to work in whose config.toml declares them."""
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HANDRAIL__MODELS__EMBED_MAX_TOKENS", "32")
    monkeypatch.chdir(tmp_path)
    with help_server() as server:
        for name in ("mail", "plans", "teams"):
            server.html(f"/{name}", f"<main><h1>{name}</h1><p>Open {name} and choose Save.</p></main>")
        server.sitemap("/mail", "/plans", "/teams")
        source = f'kind = "site"\nwhere = "{server.url}"\nkb = "acme"\nprivate_network = true\nper_minute = 6000'
        (tmp_path / "config.toml").write_text(f"[[sources]]\n{source}\n")
        yield server


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["sync", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def told(*arguments: str, code: int = 0) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout.splitlines()[-1])


def test_a_site_is_kept_in_step(site: HelpServer) -> None:
    assert told("--dry-run")["added"] == ["mail", "plans", "teams"]
    assert told()["added"] == ["mail", "plans", "teams"]
    site.html("/plans", "<main><h1>plans</h1><p>Open plans and choose Pay.</p></main>")
    site.sitemap("/mail", "/plans")

    second, third = told(), told()

    assert (second["added"], second["changed"], second["removed"]) == ([], ["plans"], ["teams"])
    assert (third["added"], third["changed"], third["removed"]) == ([], [], [])


def test_most_of_a_knowledge_base_goes_only_when_asked(site: HelpServer) -> None:
    told()
    site.sitemap("/mail")

    refused = told(code=1)

    assert "--allow-removal" in refused["error"]
    assert told("--dry-run", "--allow-removal")["removed"] == ["plans", "teams"]
    assert told("--allow-removal")["removed"] == ["plans", "teams"]


def test_one_sync_at_a_time(site: HelpServer) -> None:
    folder = kb_folder(load_settings(kb="acme"), "acme") / "sources"

    with IndexLock(folder, write=True):
        assert "in use by another" in told(code=1)["error"]
    assert told("--dry-run")["added"]


def test_it_goes_on_after_a_failure(site: HelpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    sitemap = site.routes.pop("/sitemap.xml")
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        if seconds < 60:
            return
        pauses.append(seconds)
        site.routes["/sitemap.xml"] = sitemap
        if len(pauses) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("handrail.cli.sync.time.sleep", pause)
    result = CliRunner().invoke(app, ["sync", "--every", "30", "--json"])

    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert pauses == [1800, 1800]
    assert "site map" in lines[0]["error"]
    assert len(lines[1]["added"]) == 3


def test_each_source_removes_only_what_it_brought(
    site: HelpServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of config.toml, one of the desk with a token, and an article that was added by hand."""
    monkeypatch.setenv("HANDRAIL__KNOWLEDGE__DESK_PRIVATE_NETWORK", "true")
    seen: list[str | None] = []
    rows = [{"id": n, "title": f"Page {n}", "body": f"<p>Text {n}.</p>"} for n in (1, 2)]

    def articles(given: Mapping[str, str]) -> Reply:
        seen.append(given.get("Authorization"))
        return Reply(json.dumps({"articles": rows}).encode(), headers={"Content-Type": "application/json"})

    site.routes["/api/v2/help_center/articles.json?page[size]=100"] = articles
    (tmp_path / "own.md").write_text("# Our own page\n\nWritten by hand.\n")
    settings = load_settings(kb="acme")
    desk = desk_sources(settings).add(Source(kind="zendesk", where=site.url), "t0ken", "lead", 1.0)

    ingest = CliRunner().invoke(app, ["ingest", "own.md", "--kb", "acme"])
    assert ingest.exit_code == 0, ingest.output
    first = told("--kb", "acme")
    assert (first["added"], first["removed"]) == (["mail", "plans", "teams"], []), "a new source is paused"
    assert told("--kb", "acme", "--source", desk.id, "--dry-run")["added"] == ["zendesk:1", "zendesk:2"]
    desk_sources(settings).switch(desk.id, active=True)
    assert told("--kb", "acme")["added"] == ["zendesk:1", "zendesk:2"]
    assert set(seen) == {"Bearer t0ken"}

    del rows[1]
    site.sitemap("/mail", "/plans")
    assert told("--kb", "acme", "--source", desk.id)["removed"] == ["zendesk:2"]
    desk_sources(settings).switch(desk.id, active=False)
    assert told("--kb", "acme")["removed"] == ["teams"]
    again = CliRunner().invoke(app, ["ingest", "own.md", "--kb", "acme", "--json"])
    assert json.loads(again.stdout)["removed"] == 0

    shown = json.loads(CliRunner().invoke(app, ["kb", "show", "acme", "--json"]).stdout)
    assert {row["article"]: row["source"] for row in shown} == {
        "own": "by hand", "mail": site.url, "plans": site.url, "zendesk:1": site.url
    }  # fmt: skip


def test_without_sources_it_says_how_to_declare_them(site: HelpServer) -> None:
    with pytest.raises(SettingsError, match=r"\[\[sources\]\]"):
        run("--kb", "other")
