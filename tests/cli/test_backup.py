"""`handrail backup` and `handrail restore` in a terminal."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.accounts.visitor_token import load_secret
from handrail.assembly.archive import BadArchive
from handrail.cli.app import app
from handrail.errors import PermanentError, SettingsError
from handrail.settings import WELL_KNOWN


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name in WELL_KNOWN or name.startswith("HANDRAIL_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    load_secret(tmp_path / "var", None)
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    if result.exception:
        raise result.exception
    return result.output


def test_data_and_settings_come_back_and_the_folder_that_was_there_stays(desk: Path) -> None:
    (desk / ".env").write_text("HANDRAIL__BRAND__NAME=Acme\n")
    secret = (desk / "var" / "secret.key").read_text()
    run("backup", "b.tar.gz")
    (desk / "var" / "secret.key").write_text("another")

    said = run("restore", "b.tar.gz", "--force")

    (aside,) = desk.glob("var.before-*")
    assert str(aside) in said
    assert ((desk / "var" / "secret.key").read_text(), (aside / "secret.key").read_text()) == (secret, "another")
    assert (desk / "var" / "restored-settings" / ".env").read_text() == (desk / ".env").read_text()


def test_the_settings_file_that_is_used_is_the_one_in_the_archive(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk / "own.toml").write_text('[brand]\nname = "Acme"\n')
    monkeypatch.setenv("HANDRAIL_CONFIG", "own.toml")

    run("backup", "b.tar.gz")
    run("restore", "b.tar.gz", "--into", "other")

    assert (desk / "other" / "restored-settings" / "own.toml").read_text() == (desk / "own.toml").read_text()


def test_what_is_no_backup_is_one_line(desk: Path) -> None:
    (desk / "b.tar.gz").write_text("no")

    with pytest.raises(BadArchive) as raised:
        run("restore", "b.tar.gz", "--into", "other")

    assert "\n" not in str(raised.value)
    assert not (desk / "other").exists()


def test_an_old_backup_is_brought_up_to_date(desk: Path) -> None:
    Path("var/tenants/acme").mkdir(parents=True)
    Path("var/tenants/acme/tenant.toml").write_text("")
    Path("var/tenants/acme/tenant.json").write_text('{"name": "acme", "widget": "w1", "created_at": 0}')

    run("upgrade")
    run("backup", "b.tar.gz")
    run("restore", "b.tar.gz", "--into", "other")

    for records in ("other/handrail.sqlite", "other/tenants/acme/handrail.sqlite"):
        with closing(sqlite3.connect(desk / records)) as database:
            assert database.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)


def test_tables_of_a_newer_version_are_one_line(desk: Path) -> None:
    run("upgrade")
    with closing(sqlite3.connect(desk / "var" / "handrail.sqlite")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(PermanentError, match="newer Handrail"):
        run("upgrade")


def test_one_tenant_alone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL__STORAGE__TENANT", "acme")
    Path("var/tenants/acme").mkdir(parents=True)
    Path("var/tenants/acme/tenant.toml").write_text("")

    with pytest.raises(SettingsError, match="holds all tenants"):
        run("backup", "b.tar.gz")
