"""What learning reads of conversations and keeps of its own: questions, their embeddings, cases and drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast
from uuid import uuid4

import numpy as np
from sqlalchemy import func, or_, select, union_all

from handrail.desk.learning.cases import Case, Format, Status, proposal
from handrail.desk.learning.drafts import Spoken
from handrail.desk.learning.gaps import CONTENT_REASONS, MOST_QUESTIONS, Asked
from handrail.desk.learning.personal import impersonal
from handrail.records.desk_tables import ConversationRow, EvidenceRow, FeedbackRow, MessageRow, UnansweredRow
from handrail.records.facts import article_of
from handrail.records.learning_tables import ArticleDraftRow, EvalCaseRow, QuestionVectorRow
from handrail.records.repository import Repository, insert_into
from handrail.types import Vectors

MOST_CASES = 10_000
PAGE = 500


class LearningRecords(Repository):
    async def asked(self, start: float, end: float) -> list[Asked]:
        """Questions without an answer, and those whose answer got a thumb down; the latest 5,000, oldest first."""
        missed, given, turn, talk = UnansweredRow, FeedbackRow, EvidenceRow, ConversationRow
        open_questions = select(
            missed.turn_id, missed.conversation_id, missed.question, missed.reason, missed.at
        ).where(
            missed.tenant == self._tenant,
            missed.at >= start,
            missed.at < end,
            missed.reason.in_([str(reason) for reason in CONTENT_REASONS]),
        )
        disliked = (
            select(
                turn.turn_id,
                turn.conversation_id,
                turn.question,
                ("thumb_" + func.coalesce(given.reason, "other")).label("reason"),
                turn.at,
            )
            .join(given, (given.tenant == turn.tenant) & (given.turn_id == turn.turn_id))
            .where(
                turn.tenant == self._tenant,
                given.rating == "down",
                turn.refusal_reason.is_(None),
                turn.at >= start,
                turn.at < end,
            )
        )
        both = union_all(open_questions, disliked).subquery()
        query = (
            select(both, talk.visitor_id, talk.lang, talk.generation)
            .outerjoin(talk, (talk.tenant == self._tenant) & (talk.id == both.c.conversation_id))
            .order_by(both.c.at.desc(), both.c.turn_id)
            .limit(MOST_QUESTIONS)
        )
        async with self._database.transaction() as session:
            rows = (await session.execute(query)).all()
        return [
            Asked(id_, talk_id, visitor, question, reason, lang, at, bool(generation))
            for id_, talk_id, question, reason, at, visitor, lang, generation in reversed(rows)
        ]

    async def questions(self, since: float, most: int) -> list[str]:
        """What visitors asked, each once, of the newest `most`."""
        turn = EvidenceRow
        query = select(turn.question).where(turn.tenant == self._tenant, turn.at >= since)
        async with self._database.read_session() as session:
            return list(dict.fromkeys(await session.scalars(query.order_by(turn.at.desc()).limit(most))))

    async def vectors(self, embedder: str, digests: Sequence[str]) -> dict[str, Vectors]:
        """Embeddings that were made before, by digest of the question."""
        found: dict[str, Vectors] = {}
        async with self._database.read_session() as session:
            for start in range(0, len(digests), PAGE):
                query = select(QuestionVectorRow.digest, QuestionVectorRow.vector).where(
                    QuestionVectorRow.tenant == self._tenant,
                    QuestionVectorRow.embedder == embedder,
                    QuestionVectorRow.digest.in_(digests[start : start + PAGE]),
                )
                for digest, data in await session.execute(query):
                    found[digest] = np.frombuffer(data, dtype=np.float16).astype(np.float32)
        return found

    async def keep_vectors(self, embedder: str, vectors: Mapping[str, Vectors], now: float) -> None:
        rows = [
            {
                "tenant": self._tenant,
                "embedder": embedder,
                "digest": digest,
                "vector": vector.astype(np.float16).tobytes(),
                "used_at": now,
            }
            for digest, vector in vectors.items()
        ]
        if rows:
            await self._insert(QuestionVectorRow, rows)

    async def propose_cases(self, now: float) -> int:
        """A case for every thumb down that has none yet; how many there were."""
        given, turn, talk, case = FeedbackRow, EvidenceRow, ConversationRow, EvalCaseRow
        query = (
            select(turn, given.reason, given.at, talk.lang)
            .join(given, (given.tenant == turn.tenant) & (given.turn_id == turn.turn_id))
            .outerjoin(talk, (talk.tenant == turn.tenant) & (talk.id == turn.conversation_id))
            .outerjoin(case, (case.tenant == turn.tenant) & (case.turn_id == turn.turn_id))
            .where(turn.tenant == self._tenant, given.rating == "down", case.id.is_(None))
            .order_by(given.at)
            .limit(MOST_CASES)
        )
        async with self._database.transaction() as session:
            found = (await session.execute(query)).all()
        rows = []
        for evidence, reason, at, lang in found:
            meant = proposal(evidence.routing, reason, cited(evidence))
            case_ = Case(
                id=uuid4().hex,
                format=meant.format,
                status="proposed",
                question=impersonal(evidence.question),
                should_refuse=meant.should_refuse,
                article_ids=meant.article_ids,
                lang=lang,
                source="thumb",
                why=reason,
                turn_id=evidence.turn_id,
                conversation_id=evidence.conversation_id,
                created_at=at,
                updated_at=now,
            )
            rows.append(self._case_values(case_))
        if rows:
            await self._insert(EvalCaseRow, rows)
        return len(rows)

    async def cases(self, case_format: Format | None = None, status: Status | None = None) -> list[Case]:
        """The newest first, at most 10,000."""
        query = self._rows(EvalCaseRow).order_by(EvalCaseRow.created_at.desc(), EvalCaseRow.id).limit(MOST_CASES)
        if case_format is not None:
            query = query.where(EvalCaseRow.format == case_format)
        if status is not None:
            query = query.where(EvalCaseRow.status == status)
        async with self._database.read_session() as session:
            return [_case(row) for row in await session.scalars(query)]

    async def case(self, case_id: str) -> Case | None:
        async with self._database.read_session() as session:
            row = await session.get(EvalCaseRow, (self._tenant, case_id))
            return _case(row) if row else None

    async def save_case(self, case: Case) -> Case:
        """Added, or in place of the one with its id, or of the one of the same turn and format."""
        async with self._database.transaction() as session:
            row = await session.get(EvalCaseRow, (self._tenant, case.id))
            if row is None and case.turn_id is not None:
                same = self._rows(EvalCaseRow).where(
                    EvalCaseRow.turn_id == case.turn_id, EvalCaseRow.format == case.format
                )
                row = (await session.scalars(same)).first()
            if row is None:
                row = EvalCaseRow(**self._case_values(case))
                session.add(row)
            else:
                kept = {"tenant", "id", "created_at"}
                for name, value in self._case_values(case).items():
                    if name not in kept:
                        setattr(row, name, value)
            return _case(row)

    async def turn(self, turn_id: str) -> EvidenceRow | None:
        async with self._database.read_session() as session:
            return await session.get(EvidenceRow, (self._tenant, turn_id))

    async def talk(self, conversation_id: str) -> Talk | None:
        """A conversation's words by visitor and agent, oldest first."""
        async with self._database.read_session() as session:
            row = await session.get(ConversationRow, (self._tenant, conversation_id))
            if row is None:
                return None
            query = self._rows(MessageRow).where(
                MessageRow.conversation_id == conversation_id,
                MessageRow.kind == "message",
                or_(MessageRow.author == "visitor", MessageRow.author == "agent"),
            )
            said = (await session.scalars(query.order_by(MessageRow.seq))).all()
            return Talk(
                conversation_id,
                row.state,
                row.lang,
                [Spoken(message.author, message.text, message.name) for message in said],
            )

    async def drafts(self, status: str | None = None, limit: int = 200) -> Sequence[ArticleDraftRow]:
        """The newest first."""
        query = self._rows(ArticleDraftRow).order_by(ArticleDraftRow.created_at.desc(), ArticleDraftRow.id)
        if status is not None:
            query = query.where(ArticleDraftRow.status == status)
        async with self._database.read_session() as session:
            return (await session.scalars(query.limit(limit))).all()

    async def draft(self, draft_id: str) -> ArticleDraftRow | None:
        async with self._database.read_session() as session:
            return await session.get(ArticleDraftRow, (self._tenant, draft_id))

    async def add_draft(self, **values: Any) -> ArticleDraftRow:
        async with self._database.transaction() as session:
            row = ArticleDraftRow(tenant=self._tenant, id=uuid4().hex, **values)
            session.add(row)
            return row

    async def change_draft(self, draft_id: str, was: str, /, **values: Any) -> ArticleDraftRow | None:
        """Changed if its status was `was`; None when it is not there or in another: of two people one decides."""
        async with self._database.transaction() as session:
            done = await session.execute(
                self._change(ArticleDraftRow)
                .where(ArticleDraftRow.id == draft_id, ArticleDraftRow.status == was)
                .values(**values)
                .returning(ArticleDraftRow.id)
            )
            if done.first() is None:
                return None
            return await session.get(ArticleDraftRow, (self._tenant, draft_id))

    async def _insert(self, table: type[Any], rows: list[dict[str, Any]]) -> None:
        """Rows that another process has added meanwhile stay as they are."""
        async with self._database.transaction() as session:
            await session.execute(insert_into(session, table).on_conflict_do_nothing(), rows)

    def _case_values(self, case: Case) -> dict[str, Any]:
        return {**asdict(case), "tenant": self._tenant, "article_ids": list(case.article_ids)}


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as far as a draft needs it."""

    id: str
    state: str
    lang: str
    messages: Sequence[Spoken]


def cited(evidence: EvidenceRow) -> tuple[str, ...]:
    """Articles that a turn's answer cited."""
    articles = (article_of(passage) for passage in evidence.passages if passage.get("cited", True))
    return tuple(dict.fromkeys(article for article in articles if article))


def _case(row: EvalCaseRow) -> Case:
    return Case(
        id=row.id,
        format=cast(Format, row.format),
        status=cast(Status, row.status),
        question=row.question,
        should_refuse=row.should_refuse,
        article_ids=tuple(row.article_ids),
        lang=row.lang,
        source="thumb" if row.source == "thumb" else "agent",
        why=row.why,
        turn_id=row.turn_id,
        conversation_id=row.conversation_id,
        created_by=row.created_by,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
