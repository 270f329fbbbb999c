"""What turns rested on, what visitors thought of them, and what stayed unanswered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handrail.records.desk_tables import EvidenceRow, FeedbackRow, UnansweredRow
from handrail.records.repository import Repository
from handrail.text.contacts import without_contacts

META_KEPT = (
    *("classification", "provider", "model", "cached", "degraded", "degraded_reasons"),
    *("retrieved", "latency_ms", "tokens", "cost_usd", "models"),
)
SHOWN_KEPT = ("disclaimer", "notice", "sources", "pieces", "closest", "requests")
"""What is shown beside the answer, which is kept as a message, and its passages."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """A thumb, and why."""

    turn_id: str
    rating: str
    reason: str | None = None
    comment: str | None = None


class EvidenceRecords(Repository):
    """Evidence of one tenant's turns."""

    async def save(self, response: dict[str, Any], question: str, now: float) -> None:
        """Keep what a response as `/ask` sends it rested on; `question` has its secrets taken out already.

        What went unanswered is learned from across conversations, so that it is kept without contacts.
        """
        meta = response["meta"]
        evidence = EvidenceRow(
            tenant=self._tenant,
            turn_id=response["turn_id"],
            conversation_id=response["conversation_id"],
            question=question,
            routing=response["routing"],
            label=meta["classification"]["label"],
            refusal_reason=response["refusal_reason"],
            confidence=response["confidence"],
            passages=[_passage(citation) for citation in response["citations"]],
            claims=response["claims"],
            meta={key: meta[key] for key in META_KEPT if key in meta}
            | {"factuality": response["factuality"], "shown": {key: response[key] for key in SHOWN_KEPT}},
            at=now,
        )
        async with self._database.transaction() as session:
            await session.merge(evidence)
            if response["refusal_reason"] and response["routing"] != "handed_off":
                await session.merge(
                    UnansweredRow(
                        tenant=self._tenant,
                        turn_id=response["turn_id"],
                        conversation_id=response["conversation_id"],
                        question=without_contacts(question),
                        reason=response["refusal_reason"],
                        at=now,
                    )
                )

    async def turns(self, conversation_id: str) -> Sequence[EvidenceRow]:
        """Evidence of a conversation's turns, oldest first."""
        query = self._rows(EvidenceRow).where(EvidenceRow.conversation_id == conversation_id)
        async with self._database.read_session() as session:
            return (await session.scalars(query.order_by(EvidenceRow.at))).all()

    async def rate(self, feedback: Feedback, conversation_id: str, now: float) -> None:
        """Keep a thumb; another one for the same turn replaces it."""
        async with self._database.transaction() as session:
            await session.merge(
                FeedbackRow(
                    tenant=self._tenant,
                    turn_id=feedback.turn_id,
                    conversation_id=conversation_id,
                    rating=feedback.rating,
                    reason=feedback.reason,
                    comment=feedback.comment,
                    at=now,
                )
            )

    async def feedback(self, conversation_id: str) -> Sequence[FeedbackRow]:
        query = self._rows(FeedbackRow).where(FeedbackRow.conversation_id == conversation_id)
        async with self._database.read_session() as session:
            return (await session.scalars(query.order_by(FeedbackRow.at))).all()

    async def turn(self, turn_id: str) -> EvidenceRow | None:
        """Of one turn, where it is recorded."""
        query = self._rows(EvidenceRow).where(EvidenceRow.turn_id == turn_id)
        async with self._database.read_session() as session:
            return (await session.scalars(query)).one_or_none()


def _passage(citation: dict[str, Any]) -> dict[str, Any]:
    kept = ("index", "id", "title", "url", "excerpt", "score", "support", "quote", "quotes", "places")
    return {key: citation[key] for key in kept if key in citation}
