"""Counting for reports: one tenant, one range of days, no words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Double, Integer, case, func, literal, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from handrail.desk.drift import Graded
from handrail.desk.reports.period import DAY_S, Period
from handrail.records.desk_tables import ConversationRow, FeedbackRow
from handrail.records.learning_tables import NO_CONVERSATION, CitedRow, GradingRow, ModelUsageRow, TurnFactRow
from handrail.records.repository import Repository
from handrail.types import ANSWERING, Routing

BREAK_S = 1800.0
"""A visitor who writes again after this long has come back: the session break of web analytics."""
RETURN_S = 72 * 3600.0
"""Who comes back within this long was not helped."""
FOLLOW_S = 8 * 86_400.0
"""How far past the range a conversation that began in it is followed."""


Sums = tuple[int, float, int, int]
"""Turns, US dollars, tokens in and out."""


class _WholeDay(FunctionElement[int]):
    """Days since the epoch of a number of seconds; `floor` is missing from some builds of SQLite."""

    name = "whole_day"
    inherit_cache = True
    type = Integer()


@compiles(_WholeDay)
def _whole_day(element: Any, compiler: Any, **kw: Any) -> str:
    return f"CAST(floor(({compiler.process(element.clauses, **kw)}) / {DAY_S}.0) AS INTEGER)"


@compiles(_WholeDay, "sqlite")
def _whole_day_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    return f"CAST(({compiler.process(element.clauses, **kw)}) / {DAY_S}.0 AS INTEGER)"


def local_day(moment: Any, period: Period) -> ColumnElement[int]:
    """Days since the epoch in the period's time zone, clock changes included."""
    (_, first), *changes = period.offsets()
    shift: Any = literal(first, Double)
    if changes:
        steps = [(moment >= since, literal(offset, Double)) for since, offset in reversed(changes)]
        shift = case(*steps, else_=literal(first, Double))
    return _WholeDay(moment + shift)


@dataclass(frozen=True, slots=True)
class Deflection:
    """Conversations that began on one day, by what became of them."""

    day: int
    started: int
    not_yet: int
    unknown: int
    asked: int
    returned: int
    deflected: int
    answered: int
    """Of the deflected, those in which the assistant gave an answer."""


class ReportRecords(Repository):
    async def volume(self, period: Period) -> Sequence[tuple[int, str, str, int]]:
        """`(day, routing, class, turns)`."""
        day = local_day(TurnFactRow.at, period)
        query = (
            select(day, TurnFactRow.routing, TurnFactRow.label, func.count())
            .where(*self._turns_in(period))
            .group_by(day, TurnFactRow.routing, TurnFactRow.label)
        )
        return [tuple(row) for row in await self._all(query)]

    async def conversations(self, period: Period) -> Sequence[tuple[int, int]]:
        """`(day, conversations that began)`."""
        day = local_day(ConversationRow.created_at, period)
        query = select(day, func.count()).where(*self._between(ConversationRow.created_at, period)).group_by(day)
        return [tuple(row) for row in await self._all(query)]

    async def deflection(self, period: Period, now: float) -> Sequence[Deflection]:
        stays = self._stays(period)
        talk = ConversationRow
        asked = talk.generation > 0
        young = func.coalesce(stays.c.left_at, talk.created_at) + RETURN_S > now
        came_back = stays.c.back_at - stays.c.left_at <= RETURN_S
        fate = case(
            (asked, "asked"), (talk.visitor_id.is_(None), "unknown"), (came_back, "returned"), else_="deflected"
        )
        ripe = case((young, "not_yet"), else_=fate)
        day = local_day(talk.created_at, period)
        answered = func.coalesce(stays.c.answered, 0)
        query = (
            select(day, ripe, answered, func.count())
            .outerjoin(stays, (stays.c.tenant == talk.tenant) & (stays.c.conversation_id == talk.id))
            .where(*self._between(talk.created_at, period), or_(asked, stays.c.left_at.is_not(None)))
            .group_by(day, ripe, answered)
        )
        return _by_day([tuple(row) for row in await self._all(query)])

    def _stays(self, period: Period) -> Any:
        """When each visitor first left each conversation, and when that visitor wrote next, anywhere."""
        fact, talk = TurnFactRow, ConversationRow
        visitor = func.coalesce(talk.visitor_id, talk.id)
        window: dict[str, Any] = {"partition_by": visitor, "order_by": (fact.at, fact.turn_id)}
        turns = (
            select(
                fact.tenant,
                fact.conversation_id,
                fact.at,
                case((fact.routing.in_(ANSWERING), 1), else_=0).label("answered"),
                func.lead(fact.at).over(**window).label("next_at"),
                func.lead(fact.conversation_id).over(**window).label("next_conversation"),
            )
            .join(talk, (talk.tenant == fact.tenant) & (talk.id == fact.conversation_id))
            .where(fact.tenant == self._tenant, fact.at >= period.start, fact.at < period.end + FOLLOW_S)
            .subquery()
        )
        left = or_(
            turns.c.next_at.is_(None),
            turns.c.next_conversation != turns.c.conversation_id,
            turns.c.next_at - turns.c.at >= BREAK_S,
        )
        return (
            select(
                turns.c.tenant,
                turns.c.conversation_id,
                func.min(case((left, turns.c.at))).label("left_at"),
                func.min(case((left, turns.c.next_at))).label("back_at"),
                func.max(turns.c.answered).label("answered"),
            )
            .group_by(turns.c.tenant, turns.c.conversation_id)
            .subquery()
        )

    async def times(self, period: Period) -> Sequence[tuple[int, float | None, float | None, float | None, bool]]:
        """Per request for a person: `(day, seconds to taken, to first response, to resolved, still waiting)`."""
        talk = ConversationRow
        query = select(
            local_day(talk.queued_at, period),
            talk.taken_at - talk.queued_at,
            talk.first_response_at - talk.queued_at,
            talk.resolved_at - talk.queued_at,
            talk.state == "queued",
        ).where(*self._between(talk.queued_at, period))
        return [
            (day, _forward(taken), _forward(first), _forward(solved), bool(waiting))
            for day, taken, first, solved, waiting in await self._all(query)
        ]

    async def csat(self, period: Period) -> tuple[dict[int, int], int]:
        """Number of each score, and how many conversations could have been scored."""
        talk = ConversationRow
        query = select(talk.csat, func.count()).where(*self._between(talk.resolved_at, period)).group_by(talk.csat)
        counts: dict[int | None, int] = dict(await self._all(query))
        return {score: count for score, count in counts.items() if score is not None}, sum(counts.values())

    async def articles(self, period: Period, limit: int) -> Sequence[tuple[str, str, str, int, int, int]]:
        """`(article, title, address, turns that cited it, thumbs up, thumbs down)`, the most cited first."""
        cited = CitedRow
        count = func.count()
        query = (
            select(cited.article_id, count)
            .where(*self._between(cited.at, period, cited))
            .group_by(cited.article_id)
            .order_by(count.desc(), cited.article_id)
            .limit(limit)
        )
        counts: dict[str, int] = dict(await self._all(query))
        thumbs = await self._thumbs(period)
        names = await self._names(list(counts))
        return [
            (article, *names.get(article, (article, "")), number, *thumbs.get(article, (0, 0)))
            for article, number in counts.items()
        ]

    async def _thumbs(self, period: Period) -> dict[str, tuple[int, int]]:
        cited, given = CitedRow, FeedbackRow
        query = (
            select(
                cited.article_id,
                func.sum(case((given.rating == "up", 1), else_=0)),
                func.sum(case((given.rating == "down", 1), else_=0)),
            )
            .join(given, (given.tenant == cited.tenant) & (given.turn_id == cited.turn_id))
            .where(*self._between(cited.at, period, cited))
            .group_by(cited.article_id)
        )
        return {article: (int(up), int(down)) for article, up, down in await self._all(query)}

    async def _names(self, articles: Sequence[str]) -> dict[str, tuple[str, str]]:
        query = (
            select(CitedRow.article_id, func.max(CitedRow.title), func.max(CitedRow.url))
            .where(CitedRow.tenant == self._tenant, CitedRow.article_id.in_(articles))
            .group_by(CitedRow.article_id)
        )
        return {article: (title, url) for article, title, url in await self._all(query)}

    async def refusals(self, period: Period) -> tuple[Sequence[tuple[str, str, int]], int]:
        """`(reason, routing, turns)`, and the number of all turns; what was written to a person is no turn here."""
        fact = TurnFactRow
        query = (
            select(fact.refusal_reason, fact.routing, func.count())
            .where(*self._turns_in(period), fact.routing != str(Routing.HANDED_OFF))
            .group_by(fact.refusal_reason, fact.routing)
        )
        rows = [tuple(row) for row in await self._all(query)]
        return [row for row in rows if row[0] is not None], sum(row[2] for row in rows)

    async def cost(self, period: Period) -> Sequence[tuple[int, Sums]]:
        """By day."""
        day = local_day(TurnFactRow.at, period)
        return await self._spent(select(day, *_sums(TurnFactRow)).where(*self._turns_in(period)).group_by(day))

    async def cost_by_model(self, period: Period) -> Sequence[tuple[str, Sums]]:
        """The dearest first."""
        used = ModelUsageRow
        query = select(used.model, *_sums(used)).where(*self._between(used.at, period, used)).group_by(used.model)
        return await self._spent(query.order_by(func.sum(used.cost_usd).desc(), used.model))

    async def dearest(self, period: Period, limit: int) -> Sequence[tuple[str, Sums]]:
        """Conversations in which a language model was asked."""
        fact = TurnFactRow
        query = (
            select(fact.conversation_id, *_sums(fact))
            .where(*self._turns_in(period), fact.conversation_id != NO_CONVERSATION)
            .group_by(fact.conversation_id)
            .having(func.sum(fact.input_tokens) > 0)
            .order_by(func.sum(fact.cost_usd).desc(), func.sum(fact.input_tokens).desc(), fact.conversation_id)
        )
        return await self._spent(query.limit(limit))

    async def cost_of_conversations(self, period: Period) -> tuple[int, float]:
        """How many there were turns of, deleted ones left out, and what those cost in US dollars."""
        fact = TurnFactRow
        query = select(func.count(fact.conversation_id.distinct()), func.sum(fact.cost_usd)).where(
            *self._turns_in(period), fact.conversation_id != NO_CONVERSATION
        )
        [(number, usd)] = await self._all(query)
        return number, float(usd or 0.0)

    async def first_turn(self, zone: ZoneInfo) -> date | None:
        """The day of the first turn on record."""
        [(at,)] = await self._all(select(func.min(TurnFactRow.at)).where(TurnFactRow.tenant == self._tenant))
        return None if at is None else datetime.fromtimestamp(at, zone).date()

    async def _spent(self, query: Any) -> list[Any]:
        rows = await self._all(query)
        return [(key, (n, float(usd), int(read), int(written))) for key, n, usd, read, written in rows]

    async def grades(self, period: Period) -> Sequence[Graded]:
        """In no order; all people are one grader."""
        row = GradingRow
        query = select(row.sample, row.day, row.by, row.who, row.grade).where(
            row.tenant == self._tenant,
            row.grade.is_not(None),
            row.day >= period.first.isoformat(),
            row.day <= period.last.isoformat(),
        )
        return [
            Graded(sample, day, by, who if by == "judge" else "people", grade)
            for sample, day, by, who, grade in await self._all(query)
        ]

    def _turns_in(self, period: Period) -> tuple[ColumnElement[bool], ...]:
        return self._between(TurnFactRow.at, period, TurnFactRow)

    def _between(self, moment: Any, period: Period, table: type[Any] = ConversationRow) -> tuple[Any, ...]:
        return table.tenant == self._tenant, moment >= period.start, moment < period.end

    async def _all(self, query: Any) -> list[Any]:
        async with self._database.read_session() as session:
            return list((await session.execute(query)).all())


def _sums(table: type[TurnFactRow] | type[ModelUsageRow]) -> tuple[Any, ...]:
    return func.count(), func.sum(table.cost_usd), func.sum(table.input_tokens), func.sum(table.output_tokens)


def _by_day(counts: Sequence[tuple[int, str, int, int]]) -> list[Deflection]:
    days: dict[int, dict[str, int]] = {}
    for day, fate, answered, count in counts:
        found = days.setdefault(day, {})
        found[fate] = found.get(fate, 0) + count
        if fate == "deflected" and answered:
            found["answered"] = found.get("answered", 0) + count
    return [
        Deflection(
            day=day,
            started=sum(count for fate, count in found.items() if fate != "answered"),
            **{
                name: found.get(name, 0)
                for name in ("not_yet", "unknown", "asked", "returned", "deflected", "answered")
            },
        )
        for day, found in sorted(days.items())
    ]


def _forward(seconds: float | None) -> float | None:
    """None where an earlier hand-over's time stands beside a later one's start."""
    return seconds if seconds is not None and seconds >= 0 else None
