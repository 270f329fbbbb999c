"""The companies of a deployment: made, listed, paused, given another address, removed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.accounts.tenants import NoSuchTenant, Tenants, TenantTaken
from handrail.errors import SettingsError
from handrail.settings import load_settings
from handrail.settings.tenants import FILE, folder_of
from tests.clock import EPOCH


def test_a_new_one_can_be_found_at_once(tmp_path: Path) -> None:
    made = Tenants(tmp_path).create("acme", 'Acme "Ltd" \\ Söhne', EPOCH)

    assert Tenants(tmp_path).all() == [made]
    assert Tenants(tmp_path).named("acme") == made
    (tmp_path / "config.toml").write_text(f'[storage]\ndata_dir = "{tmp_path}"')
    assert load_settings(tmp_path / "config.toml", {}, tenant="acme").brand.name == 'Acme "Ltd" \\ Söhne'


def test_of_many_at_once_one_gets_the_name(tmp_path: Path) -> None:
    def attempt(_: int) -> bool:
        try:
            Tenants(tmp_path).create("acme", "Acme", EPOCH)
        except TenantTaken:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1


def test_paused_and_resumed(tmp_path: Path) -> None:
    tenants = Tenants(tmp_path)
    tenants.create("acme", "Acme", EPOCH)

    assert tenants.suspend("acme").suspended
    assert tenants.named("acme").suspended
    assert not tenants.resume("acme").suspended


def test_another_widget_id_comes_with_another_secret(tmp_path: Path) -> None:
    tenants = Tenants(tmp_path)
    before = tenants.create("acme", "Acme", EPOCH)
    (folder_of(tmp_path, "acme") / "secret.key").write_text("old")

    after = tenants.rotate("acme")

    assert after.widget != before.widget
    assert not (folder_of(tmp_path, "acme") / "secret.key").exists()


def test_removed_with_its_folder_and_not_with_anothers(tmp_path: Path) -> None:
    tenants = Tenants(tmp_path)
    tenants.create("acme", "Acme", EPOCH)
    other = tenants.create("acme2", "Acme 2", EPOCH)

    tenants.remove("acme")

    assert tenants.all() == [other]
    assert (folder_of(tmp_path, "acme2") / FILE).exists()
    assert [path.name for path in (tmp_path / "tenants").iterdir() if path.is_dir()] == ["acme2"]


def test_who_is_not_there_is_not_changed(tmp_path: Path) -> None:
    for change in (Tenants(tmp_path).suspend, Tenants(tmp_path).rotate, Tenants(tmp_path).remove):
        with pytest.raises(NoSuchTenant):
            change("acme")


@pytest.mark.parametrize("about", ['{"name": "acme"', "[]", '{"name": "acme"}', '"', "\udcff"])
def test_one_that_cannot_be_read_is_named_and_the_others_stay(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, about: str
) -> None:
    tenants = Tenants(tmp_path)
    tenants.create("acme", "Acme", 1.0)
    globex = tenants.create("globex", "Globex", 1.0)
    path = tmp_path / "tenants" / "acme" / "tenant.json"
    path.write_text(about, encoding="utf-8", errors="surrogateescape")

    assert [tenants.all(), tenants.all()] == [[globex], [globex]]
    assert [str(path) in record.getMessage() for record in caplog.records] == [True]
    with pytest.raises(SettingsError, match="can't be read"):
        tenants.named("acme")


@pytest.mark.parametrize("company", ["", "x" * 61, "Acme\nBcc: eve@example.com", "Acme\x1b[31m"])
def test_a_company_that_could_not_be_served_is_not_made(tmp_path: Path, company: str) -> None:
    tenants = Tenants(tmp_path)

    with pytest.raises(SettingsError, match="a company can't be called"):
        tenants.create("acme", company, 1.0)

    assert tenants.all() == []
    tenants.create("acme", "x" * 60, 1.0)
