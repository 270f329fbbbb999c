"""`handrail desk …`: people of the desk, and what is kept about visitors."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated, TypeVar

import typer

from handrail.accounts.demo import DEMO_AGENT
from handrail.accounts.passwords import SHORTEST, hash_password, new_password
from handrail.accounts.second_factor import SecondFactors, Setup
from handrail.accounts.sessions import Role
from handrail.accounts.tenants import path_of
from handrail.assembly.forgetting import forget_shared
from handrail.cli import Json, notes, results, settings_for
from handrail.desk.pausing import PAUSED, RESUMED
from handrail.errors import SettingsError
from handrail.records.database import Database, open_database
from handrail.records.desk_book import DeskBook
from handrail.records.desk_tables import UserRow
from handrail.records.pauses import Pauses
from handrail.records.people import People
from handrail.records.second_factors import SecondFactorRecords
from handrail.records.traces import TraceRecords
from handrail.records.visitors import VisitorRecords
from handrail.settings import Settings

T = TypeVar("T")

app = typer.Typer(help="The desk: its users, and what is stored about visitors.", no_args_is_help=True)
user = typer.Typer(help="Who can sign in at the desk.", no_args_is_help=True)
app.add_typer(user, name="user")

Email = Annotated[str, typer.Argument(help="E-mail address.")]
Ask = Annotated[bool, typer.Option("--ask-password", help="Type a password instead of generating one.")]


@user.command("add")
def add(
    email: Email,
    role: Annotated[Role, typer.Option(help="What they are allowed to do.")] = Role.AGENT,
    name: Annotated[str, typer.Option(help="Name that visitors see. Default: the part before the @.")] = "",
    ask_password: Ask = False,
) -> None:
    """Add a user. The password is printed once."""
    if "@" not in email:
        raise SettingsError(f"{email!r} is not an e-mail address")
    password = _password(ask_password)

    async def work(database: Database) -> UserRow:
        hashed = await hash_password(password)
        return await People(database, database.tenant).add(
            email, name or email.split("@")[0], role.value, hashed, time.time()
        )

    settings = settings_for()
    added = with_database(settings, work)
    notes.print(f"{added.email} can sign in at {path_of(settings.storage)}/desk as {added.role}.")
    if not ask_password:
        results.print(password)


@user.command("list")
def list_users(as_json: Json = False) -> None:
    """List all users, one per line."""

    async def work(database: Database) -> list[dict[str, object]]:
        rows = await People(database, database.tenant).all()
        return [{"email": row.email, "name": row.name, "role": row.role, "active": row.active} for row in rows]

    rows = with_database(settings_for(), work)
    if as_json:
        results.print(json.dumps(rows))
        return
    for row in rows:
        results.print(f"{row['email']}\t{row['name']}\t{row['role']}\t{'active' if row['active'] else 'disabled'}")


@user.command("disable")
def disable(email: Email) -> None:
    """Sign a user out and block further sign-ins."""
    _changed(email, active=False)
    notes.print(f"{email} is signed out and can no longer sign in.")


@user.command("password")
def password(email: Email, ask_password: Ask = False) -> None:
    """Give a user a new password, printed once. They are signed out everywhere."""
    chosen = _password(ask_password)
    _changed(email, active=True, password_hash=asyncio.run(hash_password(chosen)))
    if not ask_password:
        results.print(chosen)


@user.command("totp")
def totp(
    email: Email,
    off: Annotated[bool, typer.Option("--off", help="Stop asking for codes, such as when the device is lost.")] = False,
) -> None:
    """Ask a user for one-time codes after the password. The secret and the recovery codes are printed once."""
    settings = settings_for()

    async def work(database: Database) -> tuple[Setup, Sequence[str]] | None:
        people, tenant = People(database, database.tenant), database.tenant
        found = await people.by_email(email)
        if found is None:
            raise SettingsError(f"there is no user {email}")
        factors = SecondFactors(SecondFactorRecords(database, tenant), settings.brand.name, time.time)
        made = None if off else await factors.turn_on(found)
        if off and not await factors.turn_off(found.id):
            raise SettingsError(f"{email} has no second factor")
        if not off and made is None:
            raise SettingsError(f"{email} has a second factor already. --off turns it off")
        action = "second_factor_off" if off else "second_factor_on"
        await DeskBook(database, tenant).log(action, time.time(), target=found.email)
        return made

    made = with_database(settings, work)
    if made is None:
        notes.print(f"{email} is asked for the password only.")
        return
    setup, codes = made
    notes.print("Add the secret or the link to an authenticator app, and keep the recovery codes: each works once.")
    results.print("\n".join((setup.secret, setup.uri, *codes)), soft_wrap=True)


@app.command()
def pause() -> None:
    """Pause the assistant: visitors' questions are answered with a fixed text, and people go on as before."""

    async def work(database: Database) -> tuple[bool, float]:
        pauses, now = Pauses(database, database.tenant), time.time()
        begun = await pauses.begin(now)
        if begun:
            await DeskBook(database, database.tenant).log(PAUSED, now)
        current = await pauses.current()
        return begun, current.since if current else now

    begun, since = with_database(settings_for(), work)
    when = f"{datetime.fromtimestamp(since).astimezone():%Y-%m-%d %H:%M %Z}"
    notes.print("The assistant is paused." if begun else f"The assistant is paused already, since {when}.")


@app.command()
def resume() -> None:
    """Let the assistant answer again after a pause."""

    async def work(database: Database) -> bool:
        ended = await Pauses(database, database.tenant).end()
        if ended:
            await DeskBook(database, database.tenant).log(RESUMED, time.time())
        return ended

    ended = with_database(settings_for(), work)
    notes.print("The assistant answers again." if ended else "The assistant wasn't paused. It answers.")


@app.command()
def export(visitor: Annotated[str, typer.Argument(help="Visitor id or e-mail address.")]) -> None:
    """Print everything stored about a visitor, as JSON."""
    found = with_database(settings_for(), lambda database: VisitorRecords(database, database.tenant).export(visitor))
    results.print(json.dumps({"visitor": visitor, "conversations": found}, ensure_ascii=False, indent=1))


@app.command()
def delete(
    visitor: Annotated[str, typer.Argument(help="Visitor id or e-mail address.")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")] = False,
) -> None:
    """Delete everything stored about a visitor."""
    if not yes:
        typer.confirm(f"Delete every conversation of {visitor}?", abort=True)
    settings = settings_for()
    gone = with_database(settings, lambda database: VisitorRecords(database, database.tenant).delete(visitor))
    notes.print(f"{len(gone.conversations)} conversations deleted.")
    if not gone.conversations or asyncio.run(forget_shared(settings, gone.conversations, gone.turns)):
        return
    if settings.limits.redis_url is not None:
        notes.print(f"Redis can't be reached. What it holds about them expires within {settings.memory.ttl_s} s.")


@app.command()
def retention() -> None:
    """Delete conversations older than desk.retention_days and traces older than desk.trace_days.

    A running server does this automatically.
    """
    settings = settings_for()
    days = settings.desk.retention_days

    async def work(database: Database) -> tuple[int, int]:
        now = time.time()
        gone = await VisitorRecords(database, database.tenant).forget(days, now)
        return gone, await TraceRecords(database, database.tenant).forget(settings.desk.trace_days, now)

    gone, traces = with_database(settings, work)
    notes.print(f"{gone} conversations {f'older than {days} days' if days else 'that are over'} deleted.")
    if traces:
        notes.print(f"{traces} traces older than {settings.desk.trace_days} days deleted.")


def demo_agent(settings: Settings) -> tuple[str, str]:
    """Address and password of the demo's agent, made if absent; a new password with every start."""
    email, chosen = DEMO_AGENT, new_password()

    async def work(database: Database) -> None:
        people = People(database, database.tenant)
        hashed, found = await hash_password(chosen), await people.by_email(email)
        if found is None:
            await people.add(email, "Robin (demo)", Role.ADMIN.value, hashed, time.time())
        else:
            await people.change(found.id, password_hash=hashed, active=True)

    with_database(settings, work)
    return email, chosen


def _changed(email: str, **values: object) -> None:
    async def work(database: Database) -> None:
        people = People(database, database.tenant)
        found = await people.by_email(email)
        if found is None:
            raise SettingsError(f"there is no user {email}")
        await people.change(found.id, **values)

    with_database(settings_for(), work)


def _password(ask: bool) -> str:
    if not ask:
        return new_password()
    chosen: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    if len(chosen) < SHORTEST:
        raise SettingsError(f"use at least {SHORTEST} characters")
    return chosen


def with_database(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    async def run() -> T:
        database = await open_database(settings.storage)
        try:
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(run())
