"""Turns by their id: claimed by one process, finished with a response, gone after a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, or_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.records.database import Database
from handrail.records.tables import TurnRow

Response = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TurnKey:
    """What makes a request the same request."""

    turn_id: str
    conversation_id: str
    conversation_given: bool
    """False when the caller named no conversation and a new id was made up for this request."""
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """The turn is the caller's to run; he must finish or release it."""


@dataclass(frozen=True, slots=True)
class Finished:
    response: Response


@dataclass(frozen=True, slots=True)
class InFlight:
    """This very turn is being run, by this process or another."""


@dataclass(frozen=True, slots=True)
class ConversationBusy:
    """Another turn of the conversation is being run."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The turn id belongs to another question or another conversation."""


Claim = Claimed | Finished | InFlight | ConversationBusy | Conflict


class Turns:
    """Turns of one tenant. A claim that is not finished within `claim_s` seconds is void: its process has died."""

    def __init__(self, database: Database, tenant: str, ttl_s: float, claim_s: float) -> None:
        self._database = database
        self._tenant = tenant
        self._ttl_s = ttl_s
        self._claim_s = claim_s

    async def claim(self, key: TurnKey, now: float) -> Claim:
        """Take the turn, or say why not. At most one turn of a conversation is in flight."""
        try:
            async with self._database.transaction() as session:
                await self._drop_void(session, key, now)
                row = await session.get(TurnRow, (self._tenant, key.turn_id))
                if row is None:
                    session.add(self._row(key, now))
                    await session.flush()
                    return Claimed()
        except IntegrityError:
            row = await self._find(key.turn_id)
            if row is None:
                return ConversationBusy()
        return _judge(row, key)

    async def finish(self, turn_id: str, response: Response) -> None:
        async with self._database.transaction() as session:
            await session.execute(
                update(TurnRow)
                .where(TurnRow.tenant == self._tenant, TurnRow.turn_id == turn_id)
                .values(response=response, running=None)
            )

    async def release(self, turn_id: str) -> None:
        """Give a claimed turn back, as if it had never been asked for."""
        async with self._database.transaction() as session:
            await session.execute(
                delete(TurnRow).where(
                    TurnRow.tenant == self._tenant, TurnRow.turn_id == turn_id, TurnRow.response.is_(None)
                )
            )

    async def response(self, turn_id: str, now: float) -> Response | None:
        """What was sent for a finished turn that is still kept."""
        row = await self._find(turn_id)
        return row.response if row is not None and row.created_at >= now - self._ttl_s else None

    async def conversation(self, turn_id: str) -> str | None:
        """The conversation of a turn that runs or is kept; None where there is none on record."""
        row = await self._find(turn_id)
        return row.conversation_id if row is not None else None

    async def purge(self, now: float) -> int:
        """Delete turns past their time to live; how many there were."""
        async with self._database.transaction() as session:
            gone = await session.execute(
                delete(TurnRow)
                .where(TurnRow.tenant == self._tenant, TurnRow.created_at < now - self._ttl_s)
                .returning(TurnRow.turn_id)
            )
            return len(gone.all())

    async def _find(self, turn_id: str) -> TurnRow | None:
        async with self._database.read_session() as session:
            return await session.get(TurnRow, (self._tenant, turn_id))

    async def _drop_void(self, session: AsyncSession, key: TurnKey, now: float) -> None:
        """Remove what would stand in the way but is past its time."""
        abandoned = TurnRow.running.is_not(None) & (TurnRow.created_at < now - self._claim_s)
        await session.execute(
            delete(TurnRow).where(
                TurnRow.tenant == self._tenant,
                or_(TurnRow.turn_id == key.turn_id, TurnRow.running == key.conversation_id),
                or_(abandoned, TurnRow.created_at < now - self._ttl_s),
            )
        )

    def _row(self, key: TurnKey, now: float) -> TurnRow:
        return TurnRow(
            tenant=self._tenant,
            turn_id=key.turn_id,
            conversation_id=key.conversation_id,
            running=key.conversation_id,
            fingerprint=key.fingerprint,
            response=None,
            created_at=now,
        )


def _judge(row: TurnRow, key: TurnKey) -> Claim:
    other_conversation = key.conversation_given and row.conversation_id != key.conversation_id
    if row.fingerprint != key.fingerprint or other_conversation:
        return Conflict()
    return InFlight() if row.response is None else Finished(row.response)
