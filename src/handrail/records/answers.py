"""Answers of a range of time, with what came after them in their conversations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select

from handrail.desk.learning.doubts import Given
from handrail.records.desk_tables import EvidenceRow, FeedbackRow, MessageRow
from handrail.records.facts import article_of
from handrail.records.repository import Repository
from handrail.types import CLAIMING

MOST_TURNS = 2000
AFTER = 40
"""Messages of agents in one conversation that are read, and characters of all of them."""
MOST_CHARS = 4000


class AnswerRecords(Repository):
    async def answers(self, start: float, end: float) -> Sequence[Given]:
        """Of the latest 2,000 turns, those that something came after: a thumb down, an agent or another question."""
        turn = EvidenceRow
        query = self._rows(turn).where(turn.at >= start, turn.at < end).order_by(turn.at.desc()).limit(MOST_TURNS)
        async with self._database.read_session() as session:
            rows = list(reversed((await session.scalars(query)).all()))
            talks = list({row.conversation_id for row in rows})
            down = set(
                await session.scalars(
                    select(FeedbackRow.turn_id).where(
                        FeedbackRow.tenant == self._tenant,
                        FeedbackRow.rating == "down",
                        FeedbackRow.conversation_id.in_(talks),
                    )
                )
            )
            said: dict[str, list[MessageRow]] = defaultdict(list)
            messages = self._rows(MessageRow).where(
                MessageRow.conversation_id.in_(talks), MessageRow.author.in_(("agent", "assistant"))
            )
            for message in await session.scalars(messages.order_by(MessageRow.conversation_id, MessageRow.seq)):
                said[message.conversation_id].append(message)
        return [one for one in _given(rows, down, said) if one.thumb_down or one.replies or one.asked_next]


def _given(rows: Sequence[EvidenceRow], down: set[str], said: dict[str, list[MessageRow]]) -> list[Given]:
    by_talk: dict[str, list[EvidenceRow]] = defaultdict(list)
    for row in rows:
        by_talk[row.conversation_id].append(row)
    found = []
    for talk, turns in by_talk.items():
        answers = {message.turn_id: message for message in said[talk] if message.author == "assistant"}
        for row, asked_next in zip(turns, [*(turn.question for turn in turns[1:]), ""], strict=True):
            if row.routing not in CLAIMING:
                continue
            answer = answers.get(row.turn_id)
            after = [one.text for one in said[talk] if one.author == "agent" and answer and one.seq > answer.seq]
            found.append(
                Given(
                    turn_id=row.turn_id,
                    conversation_id=talk,
                    question=row.question,
                    answer=answer.text if answer else "",
                    articles=tuple(dict.fromkeys(filter(None, (article_of(passage) for passage in row.passages)))),
                    confidence=row.confidence,
                    at=row.at,
                    thumb_down=row.turn_id in down,
                    replies="\n\n".join(after[:AFTER])[:MOST_CHARS],
                    asked_next=asked_next,
                )
            )
    return found
