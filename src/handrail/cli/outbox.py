"""`handrail outbox`: what waits to be delivered, and what could not be."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from handrail.cli import Json, notes, results, settings_for
from handrail.errors import PermanentError

if TYPE_CHECKING:
    from handrail.records.outbox import OutboxRecords

app = typer.Typer(help="Outgoing alerts and transcripts.", no_args_is_help=True)
T = TypeVar("T")


@app.command("list")
def list_(
    state: Annotated[
        Literal["waiting", "dead", "done", "all"],
        typer.Option(help="Only messages in this state. `dead` means delivery has failed for good."),
    ] = "all",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Show at most N, newest first.")] = 50,
    as_json: Json = False,
) -> None:
    """List messages with their attempts and last error."""
    items = _with_outbox(lambda outbox: outbox.list(None if state == "all" else state, limit))
    if as_json:
        print(json.dumps([asdict(item) | {"state": item.state} for item in items], indent=2))  # noqa: T201
        return
    for item in items:
        at = datetime.fromtimestamp(item.created_at, UTC)
        results.print(
            f"{item.id} {at:%Y-%m-%d %H:%M} {item.state:8} {item.channel:9} {item.target}"
            f" attempts {item.attempts}{f'  {item.error}' if item.error else ''}",
            markup=False,
            soft_wrap=True,
        )
    if not items:
        notes.print("No messages match.")


@app.command()
def retry(
    id_: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Id of one message. Default: all dead ones.")
    ] = None,
) -> None:
    """Send failed messages again, after you have fixed the cause."""
    count = _with_outbox(lambda outbox: outbox.retry(time.time(), id_))
    if id_ is not None and not count:
        raise PermanentError(f"there is no dead message {id_}. See `handrail outbox list --state dead`")
    notes.print(f"{count} message(s) will be sent again.")


def _with_outbox(work: Callable[[OutboxRecords], Awaitable[T]]) -> T:
    from handrail.records.database import open_database
    from handrail.records.outbox import OutboxRecords

    async def run() -> T:
        database = await open_database(settings_for().storage)
        try:
            return await work(OutboxRecords(database, database.tenant))
        finally:
            await database.close()

    return asyncio.run(run())
