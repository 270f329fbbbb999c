"""`handrail tenant`: the companies that share a deployment."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from handrail.accounts.tenants import Tenant, Tenants
from handrail.cli import Json, notes, results, settings_for
from handrail.errors import SettingsError
from handrail.settings.tenants import FILE, OWN, folder_of

app = typer.Typer(
    help="Companies that share this deployment. `handrail --tenant NAME COMMAND` runs a command for one of them.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="Name of the tenant.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="2 to 40 of a-z, 0-9, - and _. Visitors don't see it.")],
    company: Annotated[str, typer.Option(help="What the assistant calls the company.")],
) -> None:
    """Add a company, with a folder, settings and a widget id of its own."""
    tenants, data_dir = _tenants()
    tenant = tenants.create(name, company, time.time())
    notes.print(
        f"Its settings are in {folder_of(data_dir, name) / FILE}. Index its articles next:\n"
        f"  handrail --tenant {name} ingest PATH\n"
        "Its widget, API and desk are under this path of your server:"
    )
    results.print(tenant.path)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the tenants with the path of their widget, API and desk."""
    found = _tenants()[0].all()
    if as_json:
        print(json.dumps([asdict(tenant) | {"path": tenant.path} for tenant in found], indent=2))  # noqa: T201
        return
    for tenant in found:
        _say(tenant)
    if not found:
        notes.print("There are no tenants: `handrail tenant create NAME --company COMPANY` adds one.")


@app.command()
def hosts(
    name: Name,
    host: Annotated[
        list[str] | None, typer.Argument(help="Such as support.acme.com. None: it has none of its own.")
    ] = None,
) -> None:
    """Serve a tenant at host names of its own, in place of those it had. Its path goes on working."""
    _say(_tenants()[0].answer_at(name, host or []))


@app.command()
def suspend(name: Name) -> None:
    """Pause a tenant: its addresses answer with 403 until you resume it. Its data stay."""
    _say(_tenants()[0].suspend(name))


@app.command()
def resume(name: Name) -> None:
    """Let a suspended tenant answer again."""
    _say(_tenants()[0].resume(name))


@app.command()
def rotate(name: Name) -> None:
    """Give a tenant another widget id and secret. Its old addresses and all visitor tokens end."""
    _say(_tenants()[0].rotate(name))


@app.command()
def export(name: Name, file: Annotated[Path, typer.Argument(help="The archive, such as acme.tar.gz.")]) -> None:
    """Write everything of a tenant but its secrets to one archive. FILE appears when it is complete.

    A server may run meanwhile. docs/tenants.md says what is in it.
    """
    from handrail.assembly.tenant_export import export as write

    _tenants()
    made = asyncio.run(write(settings_for(), name, file))
    rows = sum(made.records.values())
    results.print(f"{made.file}: {rows} records, {made.passages} passages, {made.bytes / 1e6:.1f} MB, checked")


@app.command()
def delete(
    name: Name, yes: Annotated[bool, typer.Option("--yes", help="Delete without asking for the name again.")] = False
) -> None:
    """Delete a tenant with its articles, records, settings and users. This can't be undone: back it up first."""
    from handrail.assembly.tenants import erase

    tenants, _ = _tenants()
    tenants.named(name)
    if not yes and typer.prompt(f"Everything of {name} will be deleted. Type its name to go on") != name:
        raise SettingsError("that isn't its name: nothing was deleted")
    asyncio.run(erase(settings_for(), name))
    notes.print(f"{name} has been deleted.")


def _tenants() -> tuple[Tenants, Path]:
    """Raises SettingsError where a tenant is chosen: one can't see the others."""
    settings = settings_for()
    if settings.storage.tenant != OWN:
        raise SettingsError("run this without --tenant (and without HANDRAIL__STORAGE__TENANT)")
    return Tenants(settings.storage.data_dir), settings.storage.data_dir


def _say(tenant: Tenant) -> None:
    more = [*tenant.hosts, *(["(suspended)"] if tenant.suspended else [])]
    results.print("  ".join([f"{tenant.name:24} {tenant.path}", *more]))
