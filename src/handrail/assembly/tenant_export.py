"""Everything of one company in one archive that another program can read; docs/tenants.md describes it.

It is for the company that leaves, or wants its data, and no backup: secrets and indexes aren't in it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import tomllib
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from handrail import __version__
from handrail.accounts.tenants import Tenants
from handrail.assembly.archive import PRIVATE_FOLDER, pack
from handrail.assembly.backup import check_target, gather
from handrail.assembly.index import current_index
from handrail.errors import KnowledgeError, PermanentError
from handrail.records.database import open_database
from handrail.records.export import rows_of
from handrail.settings import Settings
from handrail.settings.load import of_tenant
from handrail.settings.tenants import file_of
from handrail.stores.audience import Audience
from handrail.stores.version_folders import FOLDER as VERSIONS
from handrail.stores.versions import now
from handrail.types import Passage

RECORDS, FILES = "records", "files"
KB = "kb"
"""The only folder of a tenant's that is anybody else's business than the server's."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What is in an archive: rows by table, and bytes."""

    file: Path
    bytes: int
    records: dict[str, int]
    passages: int


async def export(settings: Settings, name: str, target: Path) -> Exported:
    """Write `target`, which must not exist and appears when it is complete; the server may run meanwhile.

    Raises NoSuchTenant, PermanentError where that can't be, and RetryableError where the records or the index are away.
    """
    tenant = Tenants(settings.storage.data_dir).named(name)
    theirs = of_tenant(settings, name)
    check_target(settings.storage.data_dir.resolve(), target)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".handrail-export-") as scratch:
            staged = Path(scratch)
            (staged / RECORDS).mkdir(mode=PRIVATE_FOLDER)
            about: dict[str, Any] = {
                "handrail": __version__,
                "made": now(),
                "tenant": {**asdict(tenant), "hosts": list(tenant.hosts)},
            }
            records = await _records(theirs, staged / RECORDS)
            passages = await asyncio.to_thread(_articles, theirs, staged)
            (staged / "settings.json").write_text(_settings(settings, name), encoding="utf-8")
            about |= {"records": records, "passages": passages}
            size = await asyncio.to_thread(_packed, staged, target, about)
    except FileExistsError:
        raise PermanentError(f"{target} exists already: an export never replaces a file") from None
    except OSError as error:
        raise PermanentError(f"nothing was exported: {error}") from error
    return Exported(target, size, records, passages)


async def _records(settings: Settings, into: Path) -> dict[str, int]:
    """A file for each table with rows, a line for each row."""
    written: Counter[str] = Counter()
    files: dict[str, IO[str]] = {}
    database = await open_database(settings.storage)
    try:
        with ExitStack() as opened:
            async for table, row in rows_of(database):
                if table not in files:
                    files[table] = opened.enter_context((into / f"{table}.jsonl").open("w", encoding="utf-8"))
                files[table].write(json.dumps(row, ensure_ascii=False) + "\n")
                written[table] += 1
    finally:
        await database.close()
    return dict(written)


def _articles(settings: Settings, staged: Path) -> int:
    """What the assistant answers from, as it is indexed, and the files brought at the desk; how many passages."""
    gather(None, settings.storage.data_dir, staged / "all")
    for index in (staged / "all" / KB).glob(f"*/{VERSIONS}"):
        shutil.rmtree(index)
    if (staged / "all" / KB).is_dir():
        (staged / "all" / KB).rename(staged / FILES)
    shutil.rmtree(staged / "all", ignore_errors=True)
    passages: list[Passage] = []
    with suppress(KnowledgeError), current_index(settings) as store:
        passages, _ = store.dump(Audience.AGENTS)
    with (staged / "passages.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(passage), ensure_ascii=False, default=str) + "\n" for passage in passages)
    return len(passages)


def _packed(staged: Path, target: Path, about: dict[str, Any]) -> int:
    """The size of the archive."""
    pack(staged, target, about)
    return target.stat().st_size


def _settings(settings: Settings, name: str) -> str:
    """Those of the company's own file; stars stand for secrets."""
    own = tomllib.loads(file_of(settings.storage.data_dir, name).read_text(encoding="utf-8"))
    shown = Settings.model_validate(own).model_dump(mode="json", exclude_unset=True)
    return json.dumps(shown, ensure_ascii=False, indent=1) + "\n"
