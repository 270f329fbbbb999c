"""The outbox of a running application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from handrail.desk.outbox.channels import build_channels
from handrail.desk.outbox.channels.http import client
from handrail.desk.outbox.worker import OutboxWorker
from handrail.records.database import Database
from handrail.records.outbox import OutboxRecords
from handrail.settings import Alerts


@asynccontextmanager
async def outbox_worker(
    alerts: Alerts, database: Database, tenant: str, clock: Callable[[], float]
) -> AsyncIterator[OutboxWorker | None]:
    """Delivers alerts and e-mail to visitors; None where no way out is set up."""
    async with client(alerts.timeout_s) as http:
        channels = build_channels(alerts, http, clock)
        yield OutboxWorker(OutboxRecords(database, tenant), channels, alerts, clock) if channels else None
