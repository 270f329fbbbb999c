"""`handrail upgrade`: tables brought up to date before the first new server starts."""

from __future__ import annotations

import asyncio

from handrail.accounts.tenants import Tenants
from handrail.cli import results, settings_for
from handrail.errors import SettingsError
from handrail.records.database import open_database
from handrail.settings import Settings
from handrail.settings.load import of_tenant
from handrail.settings.tenants import OWN


def upgrade() -> None:
    """Bring the tables of the records up to date, for this company and each tenant. Back up first.

    `handrail serve` does the same for itself at its start; with several servers, run this once before them.
    """
    settings = settings_for()
    if settings.storage.tenant != OWN:
        raise SettingsError("tables are upgraded for all tenants: run this without --tenant")
    tenants = [tenant.name for tenant in Tenants(settings.storage.data_dir).all()]
    asyncio.run(_open([settings, *(of_tenant(settings, name) for name in tenants)]))
    results.print("records: up to date" + (f", those of {len(tenants)} tenants too" if tenants else ""))


async def _open(companies: list[Settings]) -> None:
    for settings in companies:
        await (await open_database(settings.storage)).close()
