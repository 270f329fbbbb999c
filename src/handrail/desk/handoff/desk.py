"""Where requests for a person arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from handrail.desk.handoff import Handoff, HandoffRequest, Line, Receipt
from handrail.desk.handoff.beside import beside
from handrail.errors import RetryableError
from handrail.text.redact import redact

ATTEMPTS = 5


class ReferenceTaken(Exception):
    """Another record has this reference already."""


class Handoffs(Protocol):
    """Where records are kept, for one tenant."""

    async def save(self, request: HandoffRequest, reference: str, now: float) -> Receipt:
        """A new record, or the conversation's own with the request added. Raises ReferenceTaken."""
        ...

    async def find(self, reference: str) -> Handoff | None: ...


class Desk:
    """`clock` returns seconds since the epoch; `new_reference` may repeat itself now and then."""

    def __init__(self, handoffs: Handoffs, new_reference: Callable[[], str], clock: Callable[[], float]) -> None:
        self._handoffs = handoffs
        self._new_reference = new_reference
        self._clock = clock

    async def take(self, request: HandoffRequest) -> Receipt:
        """Record `request`, without card numbers, IBANs and tokens in its free text.

        Without a conversation, its `turn_id` stands for one: sent again after a lost connection it is the same request.
        """
        discreet = await beside(_redacted, request)
        if discreet.conversation_id is None and discreet.turn_id is not None:
            discreet = replace(discreet, conversation_id=f"turn:{discreet.turn_id}")
        for _ in range(ATTEMPTS):
            try:
                return await self._handoffs.save(discreet, self._new_reference(), self._clock())
            except ReferenceTaken:
                continue
        raise RetryableError(f"no free reference in {ATTEMPTS} attempts")


def _redacted(request: HandoffRequest) -> HandoffRequest:
    return replace(
        request,
        reason=redact(request.reason) if request.reason else None,
        message=redact(request.message) if request.message else None,
        claimed=tuple(Line(line.author, redact(line.text)) for line in request.claimed),
    )
