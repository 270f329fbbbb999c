"""`handrail key`: keys for programs that call the API."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from handrail.accounts.api_keys import ApiKeys, Scope
from handrail.accounts.limits.rules import DAY
from handrail.cli import Json, notes, results, settings_for
from handrail.cli.desk import with_database
from handrail.errors import SettingsError
from handrail.records.access_tables import ApiKeyRow
from handrail.records.api_keys import ApiKeyRecords
from handrail.records.database import Database
from handrail.records.desk_book import DeskBook
from handrail.settings.tenants import OWN

app = typer.Typer(help="Keys for programs that call the API.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What the key is for. Only you see it.")],
    scope: Annotated[list[Scope], typer.Option(help="What the key allows. Repeat it for more.")] = [Scope.ASK],  # noqa: B006
    per_day: Annotated[
        int, typer.Option("--per-day", min=0, max=100_000_000, help="Questions per UTC day. 0 means unlimited.")
    ] = 0,
) -> None:
    """Make a key. It is printed once, and only a hash of it is kept."""
    settings = settings_for()
    if not 0 < len(name) <= 80:
        raise SettingsError("give the key a name of at most 80 characters")
    if Scope.OPERATOR in scope and settings.storage.tenant != OWN:
        raise SettingsError("only the deployment's own keys can have the scope operator: run this without --tenant")

    async def work(database: Database) -> str:
        keys = ApiKeys(ApiKeyRecords(database, database.tenant), database.tenant, time.time)
        row, key = await keys.create(name, scope, per_day)
        detail = {"id": row.id, "scopes": row.scopes}
        await DeskBook(database, database.tenant).log("create_key", time.time(), target=name, detail=detail)
        return key

    key = with_database(settings, work)
    if settings.server.api_keys == "off":
        notes.print('Keys aren\'t accepted yet: set server.api_keys to "allowed" or "required".')
    results.print(key)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List all keys with what they allow, without the keys themselves."""

    async def work(database: Database) -> Sequence[ApiKeyRow]:
        return await ApiKeyRecords(database, database.tenant).all()

    today, rows = int(time.time() // DAY), with_database(settings_for(), work)
    used = {row.id: row.used if row.used_day == today else 0 for row in rows}
    if as_json:
        shown = ("id", "name", "scopes", "per_day", "created_at", "revoked_at")
        told = [{**{name: getattr(row, name) for name in shown}, "used_today": used[row.id]} for row in rows]
        results.print(json.dumps(told))
        return
    for row in rows:
        since = datetime.fromtimestamp(row.created_at, UTC)
        today_s = f"{used[row.id]} of {row.per_day or 'unlimited'} today"
        state = "active" if row.revoked_at is None else "revoked"
        results.print(f"{row.id}\t{row.name}\t{' '.join(row.scopes)}\t{today_s}\t{since:%Y-%m-%d}\t{state}")
    if not rows:
        notes.print("There are no keys: `handrail key create NAME` makes one.")


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as listed.")]) -> None:
    """End a key at once. This can't be undone."""

    async def work(database: Database) -> bool:
        now = time.time()
        if not await ApiKeyRecords(database, database.tenant).revoke(key_id, now):
            return False
        await DeskBook(database, database.tenant).log("revoke_key", now, detail={"id": key_id})
        return True

    if not with_database(settings_for(), work):
        raise SettingsError(f"there is no active key {key_id}. `handrail key list` shows those there are")
    notes.print(f"{key_id} is revoked.")
