"""The daily sample of answers and its grades: drawn alike by everybody who looks, read by one judge at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.desk.drift import Sample
from handrail.desk.outbox import NewNotification
from handrail.records.desk_tables import AuditRow, ConversationRow, EvidenceRow, MessageRow
from handrail.records.learning_tables import EvalCaseRow, GradingRow
from handrail.records.outbox import OutboxRecords
from handrail.records.repository import Repository, insert_into
from handrail.types import Routing

FROM_ARTICLES = (Routing.ANSWERED, Routing.PARTIALLY_ANSWERED, Routing.LOW_CONFIDENCE)
JUDGE, PERSON = "judge", "person"
FELL = "answers_fell"
"""In the audit: people have been told that answers got worse."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An answer of the sample."""

    evidence: EvidenceRow
    answer: str
    before: Sequence[str]
    """What the visitor asked before in the conversation, oldest first."""
    grades: Mapping[str, GradingRow] = field(default_factory=dict)
    """By who gave them: `judge`, `person`."""
    case: bool = False
    """Whether it is an evaluation case already."""


class GradingRecords(Repository):
    async def sample(self, day: str, start: float, end: float, size: int) -> list[Drawn]:
        """Up to `size` answers given between the two times, always the same ones of the same answers."""
        at, turn = EvidenceRow.at, EvidenceRow
        ids = select(turn.turn_id).where(
            turn.tenant == self._tenant, at >= start, at < end, turn.routing.in_([str(one) for one in FROM_ARTICLES])
        )
        async with self._database.read_session() as session:
            chosen = sorted(await session.scalars(ids), key=lambda id_: _lot(day, id_))[:size]
            rows = {row.turn_id: row for row in await session.scalars(self._rows(turn).where(turn.turn_id.in_(chosen)))}
            talks = {row.conversation_id for row in rows.values()}
            spoken = self._rows(MessageRow).where(
                MessageRow.conversation_id.in_(talks), MessageRow.author.in_(("visitor", "assistant"))
            )
            said: dict[str, list[MessageRow]] = {}
            for message in await session.scalars(spoken.order_by(MessageRow.seq)):
                said.setdefault(message.conversation_id, []).append(message)
            graded = self._rows(GradingRow).where(
                GradingRow.item_id.in_(chosen), GradingRow.day == day, GradingRow.grade.is_not(None)
            )
            grades: dict[str, dict[str, GradingRow]] = {}
            for grading in await session.scalars(graded):
                grades.setdefault(grading.item_id, {})[grading.by] = grading
            marked = select(EvalCaseRow.turn_id).where(
                EvalCaseRow.tenant == self._tenant, EvalCaseRow.turn_id.in_(chosen)
            )
            cases = set(await session.scalars(marked))
        return [
            Drawn(
                row, *_around(row, said.get(row.conversation_id, [])), grades.get(row.turn_id, {}), row.turn_id in cases
            )
            for row in (rows[id_] for id_ in chosen if id_ in rows)
        ]

    async def take(self, drawn: Collection[Drawn], grading: Mapping[str, Any], now: float, lease_s: float) -> set[str]:
        """Those of the turns that the caller's judge may read: not graded, and read by no other for `lease_s`.

        `grading` holds the day, who judges and the knowledge base. What is taken must be graded or given back.
        """
        async with self._database.transaction() as session:
            there = await self._standing(session, {one.evidence.conversation_id for one in drawn})
            insert = insert_into(session, GradingRow)
            rows = [
                {
                    **grading,
                    "tenant": self._tenant,
                    "sample": "production",
                    "by": JUDGE,
                    "item_id": one.evidence.turn_id,
                    "conversation_id": one.evidence.conversation_id,
                    "at": now,
                }
                for one in drawn
                if one.evidence.conversation_id in there
            ]
            if not rows:
                return set()
            taken = insert.values(rows).on_conflict_do_update(
                index_elements=["tenant", "sample", "item_id", "day", "by"],
                set_={"at": now, "who": insert.excluded.who},
                where=GradingRow.grade.is_(None) & (GradingRow.at <= now - lease_s),
            )
            return set(await session.scalars(taken.returning(GradingRow.item_id)))

    async def give_back(self, day: str, turns: Collection[str]) -> None:
        """Not graded after all: anybody may take them at once."""
        mine = self._remove(GradingRow).where(
            GradingRow.item_id.in_(turns), GradingRow.day == day, GradingRow.by == JUDGE, GradingRow.grade.is_(None)
        )
        async with self._database.transaction() as session:
            await session.execute(mine)

    async def settle(self, day: str, turn_id: str, grade: int | None, note: str, now: float) -> None:
        """The judge's grade of a turn that was taken; None where it could give none, which is tried again later."""
        row = self._change(GradingRow).where(
            GradingRow.item_id == turn_id, GradingRow.day == day, GradingRow.by == JUDGE
        )
        async with self._database.transaction() as session:
            await session.execute(row.values(grade=grade, note=note, at=now))

    async def keep(
        self,
        sample: Sample,
        item_id: str,
        day: str,
        *,
        by: str,
        grade: int,
        who: str,
        kb: str,
        now: float,
        note: str | None = None,
        conversation_id: str | None = None,
    ) -> bool:
        """A grade, in place of an earlier one by the same side. False where the conversation is gone meanwhile."""
        row = GradingRow(
            tenant=self._tenant, sample=sample, item_id=item_id, day=day, by=by, grade=grade, who=who[:120], note=note,
            kb=kb, conversation_id=conversation_id, at=now,
        )  # fmt: skip
        async with self._database.transaction() as session:
            if conversation_id is not None and not await self._standing(session, {conversation_id}):
                return False
            await session.merge(row)
            return True

    async def _standing(self, session: AsyncSession, conversations: Collection[str]) -> set[str]:
        """Those still on record. They are locked, so that a deletion comes wholly before a grade or wholly after it."""
        query = self._rows(ConversationRow).where(ConversationRow.id.in_(conversations)).with_for_update(read=True)
        return {row.id for row in await session.scalars(query)}

    async def turn(self, turn_id: str) -> EvidenceRow | None:
        async with self._database.read_session() as session:
            return await session.get(EvidenceRow, (self._tenant, turn_id))

    async def told(self) -> AuditRow | None:
        """The last fall that people were told of."""
        query = self._rows(AuditRow).where(AuditRow.action == FELL).order_by(AuditRow.at.desc()).limit(1)
        async with self._database.read_session() as session:
            return (await session.scalars(query)).first()

    async def tell(
        self, day: str, detail: Mapping[str, Any], notifications: Sequence[NewNotification], now: float
    ) -> bool:
        """Put the fall into the audit and its alerts into the outbox, once a day; False where they are there."""
        row = {
            "tenant": self._tenant, "id": f"{FELL}:{day}", "user_id": None, "action": FELL, "target": None,
            "detail": dict(detail), "at": now,
        }  # fmt: skip
        async with self._database.transaction() as session:
            done = insert_into(session, AuditRow).values(row).on_conflict_do_nothing().returning(AuditRow.id)
            if (await session.scalars(done)).first() is None:
                return False
            OutboxRecords(self._database, self._tenant).put(session, notifications, now)
            return True


def _lot(day: str, turn_id: str) -> bytes:
    return hashlib.sha256(f"{day}/{turn_id}".encode()).digest()


def _around(row: EvidenceRow, talk: Sequence[MessageRow]) -> tuple[str, list[str]]:
    """The answer as it was sent, and what the visitor had asked before."""
    answer = next((one.text for one in talk if one.turn_id == row.turn_id and one.author == "assistant"), "")
    before = [one.text for one in talk if one.author == "visitor" and one.turn_id != row.turn_id and one.at < row.at]
    return answer, before
