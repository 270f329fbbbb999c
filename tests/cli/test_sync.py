"""`handrail sync` with a real site, real models and a real index."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from handrail.assembly import kb_folder
from handrail.cli.app import app
from handrail.errors import SettingsError
from handrail.settings import WELL_KNOWN, load_settings
from handrail.stores.lock import IndexLock
from tests.knowledge.help_server import HelpServer, help_server

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


def test_without_sources_it_says_how_to_declare_them(site: HelpServer) -> None:
    with pytest.raises(SettingsError, match=r"\[\[sources\]\]"):
        run("--kb", "other")
