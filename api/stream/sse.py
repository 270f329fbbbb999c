"""Events as bytes on the wire, with a number each so that a lost connection can go on after the last one seen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from starlette.responses import StreamingResponse

from handrail.conversation.streams import Event

HEADERS = {
    "x-vercel-ai-ui-message-stream": "v1",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
"""The last two keep proxies from holding events back."""
KEEP_ALIVE = b": keep-alive\n\n"


def encoded(event: Event) -> bytes:
    return f"id: {event.number}\ndata: {event.data}\n\n".encode()


async def listed(datas: Iterable[str], after: int = 0) -> AsyncIterator[bytes]:
    """Events that are all there already, numbered on from `after`."""
    for number, data in enumerate(datas, start=after + 1):
        yield encoded(Event(number, data))


def event_stream(body: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(body, media_type="text/event-stream", headers=HEADERS)
