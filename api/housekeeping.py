"""Forgetting what has been kept long enough."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from handrail.records import RecordsUnavailable
from handrail.records.traces import TraceRecords
from handrail.records.turns import Turns
from handrail.records.visitors import VisitorRecords

log = logging.getLogger("handrail.housekeeping")

EVERY_S = 600.0


async def purge_turns(turns: Turns, clock: Callable[[], float], every_s: float = EVERY_S) -> None:
    """Delete old turns now and then, for as long as the application runs."""
    while True:
        try:
            gone = await turns.purge(clock())
        except RecordsUnavailable as error:
            log.warning("%s; old turns will be deleted later", error)
        else:
            if gone:
                log.info("%d old turns deleted", gone)
        await asyncio.sleep(every_s)


async def purge_conversations(
    visitors: VisitorRecords, days: int, clock: Callable[[], float], every_s: float = EVERY_S
) -> None:
    """Delete conversations past their retention now and then, for as long as the application runs."""
    while True:
        try:
            gone = await visitors.forget(days, clock())
        except RecordsUnavailable as error:
            log.warning("%s; old conversations will be deleted later", error)
        else:
            if gone:
                log.info("%d old conversations deleted", gone)
        await asyncio.sleep(every_s)


async def purge_traces(traces: TraceRecords, days: int, clock: Callable[[], float], every_s: float = EVERY_S) -> None:
    """Delete traces past their time now and then, for as long as the application runs."""
    while True:
        try:
            gone = await traces.forget(days, clock())
        except RecordsUnavailable as error:
            log.warning("%s; old traces will be deleted later", error)
        else:
            if gone:
                log.info("%d old traces deleted", gone)
        await asyncio.sleep(every_s)
