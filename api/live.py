"""Live events on the wire: what both sides' streams have in common."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from starlette.responses import StreamingResponse

from api.stream.sse import KEEP_ALIVE
from handrail.desk.handoff.live import OVER, Event
from handrail.records import RecordsUnavailable

log = logging.getLogger("handrail.live")

HEARTBEAT_S = 15.0
"""Also how often whoever follows looks into the records again, should an event have been lost."""
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}


class Over(Exception):
    """The application that serves a stream ends, as when its tenant is suspended, or the stream has lost its right."""


def encoded(event: Event, number: int | None = None) -> bytes:
    """Messages carry their number, so that a lost connection goes on after the last one seen."""
    id_ = f"id: {number}\n" if number is not None else ""
    return f"{id_}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


async def next_event(queue: asyncio.Queue[Event]) -> Event | None:
    """None when nothing came for a heartbeat. Raises Over."""
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            event = await queue.get()
    except TimeoutError:
        return None
    if event is OVER:
        raise Over
    return event


def live_stream(body: AsyncGenerator[bytes, None]) -> StreamingResponse:
    return StreamingResponse(_until_away(body), media_type="text/event-stream", headers=HEADERS)


async def _until_away(body: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    """Ends with Over, and where the records are away: the page comes back for the rest, later and later."""
    try:
        async with aclosing(body):
            async for chunk in body:
                yield chunk
    except Over:
        pass
    except RecordsUnavailable as error:
        log.warning("%s; a stream of live events ends", error)


__all__ = ["KEEP_ALIVE", "encoded", "live_stream", "next_event"]
