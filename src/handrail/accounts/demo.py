"""The account that `handrail serve` makes in demo mode, and prints the password of."""

from __future__ import annotations

from handrail.errors import SettingsError
from handrail.records.database import Database
from handrail.records.people import People

DEMO_AGENT = "agent@demo.example"


async def refuse_demo_agent(database: Database) -> None:
    """Raises SettingsError where somebody who once read the log of a demo can still sign in."""
    found = await People(database, database.tenant).by_email(DEMO_AGENT)
    if found is not None and found.active:
        raise SettingsError(
            f"server.public = true, but the demo account can still sign in. Run handrail desk user disable {DEMO_AGENT}"
        )
