"""A stored turn's question, to be asked again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from handrail.observe.record import TurnRecord
from handrail.observe.trace import Trace
from handrail.types import Exchange, Question, Routing
from handrail.types.people import Availability, People


def question_of(trace: Trace, message: str | None = None) -> Question:
    """With its history and the desk as it was then.

    `message` is its text as the conversation keeps it, with the contact details that traces do without.
    """
    given = trace["input"]
    return Question(
        text=given["text"] if message is None else message,
        conversation_id=trace["conversation_id"],
        turn_id=trace["turn_id"],
        lang=given["lang"],
        filters=given["filters"],
        suspicious=given["suspicious"],
        history=tuple(_exchange(row) for row in given["history"]),
        follows=given["follows"],
        declined_before=given["declined_before"],
        people=_people(given["people"]),
    )


class Kept:
    """A Sink that holds the last turn and passes it on to nobody."""

    record: TurnRecord | None = None

    def take(self, record: TurnRecord) -> None:
        self.record = record

    def close(self) -> None:
        return None


def _exchange(row: dict[str, Any]) -> Exchange:
    lists = {name: tuple(row.get(name, ())) for name in ("article_ids", "titles", "quoted")}
    return Exchange(**{**row, **lists, "routing": Routing(row["routing"])})


def _people(row: dict[str, Any]) -> People:
    times = {name: datetime.fromisoformat(row[name]) if row[name] else None for name in ("as_of", "opens_at")}
    return People(**{**row, **times, "availability": Availability(row["availability"])})
