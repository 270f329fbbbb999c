"""The narrow figures of turns, drawn from their evidence once each, so that reports never read what was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from handrail.records.desk_tables import EvidenceRow
from handrail.records.learning_tables import CitedRow, ModelUsageRow, TurnFactRow
from handrail.records.repository import Repository, insert_into
from handrail.types import ANSWERING

LATE_S = 3600.0
"""Evidence may be recorded this long after the time it carries."""
BATCH = 2000


class FactRecords(Repository):
    async def draw(self, batches: int = 100) -> int:
        """Figures of every turn that has none yet; how many there were. Harmless to repeat."""
        drawn = 0
        for _ in range(batches):
            count = await self._draw_batch()
            drawn += count
            if count < BATCH:
                break
        return drawn

    async def _draw_batch(self) -> int:
        async with self._database.transaction() as session:
            newest = await session.scalar(select(func.max(TurnFactRow.at)).where(TurnFactRow.tenant == self._tenant))
            query = (
                self._rows(EvidenceRow)
                .outerjoin(
                    TurnFactRow,
                    (TurnFactRow.tenant == EvidenceRow.tenant) & (TurnFactRow.turn_id == EvidenceRow.turn_id),
                )
                .where(TurnFactRow.turn_id.is_(None))
                .order_by(EvidenceRow.at)
                .limit(BATCH)
            )
            if newest is not None:
                query = query.where(EvidenceRow.at >= newest - LATE_S)
            rows = list(await session.scalars(query))
            await _insert(session, TurnFactRow, [_fact(row) for row in rows])
            await _insert(session, ModelUsageRow, [used for row in rows for used in _used(row)])
            await _insert(session, CitedRow, [cited for row in rows for cited in _cited(row)])
            return len(rows)


async def _insert(session: AsyncSession, table: type[Any], values: list[dict[str, Any]]) -> None:
    """Rows that are there already stay as they are."""
    if not values:
        return
    await session.execute(insert_into(session, table).on_conflict_do_nothing(), values)


def _fact(row: EvidenceRow) -> dict[str, Any]:
    return {
        "tenant": row.tenant,
        "turn_id": row.turn_id,
        "conversation_id": row.conversation_id,
        "at": row.at,
        "routing": row.routing,
        "label": row.label,
        "refusal_reason": row.refusal_reason,
        **_usage(row.meta),
    }


def _used(row: EvidenceRow) -> list[dict[str, Any]]:
    """One per language model that was asked."""
    return [
        {"tenant": row.tenant, "turn_id": row.turn_id, "model": model[:200], "at": row.at, **_usage(usage)}
        for model, usage in (row.meta.get("models") or {}).items()
    ]


def _usage(meta: Mapping[str, Any]) -> dict[str, Any]:
    tokens = meta.get("tokens") or {}
    return {
        "cost_usd": float(meta.get("cost_usd") or 0.0),
        "input_tokens": int(tokens.get("input") or 0),
        "output_tokens": int(tokens.get("output") or 0),
    }


def _cited(row: EvidenceRow) -> list[dict[str, Any]]:
    """One per article, however many of its passages were cited."""
    if row.routing not in ANSWERING:
        return []
    found: dict[str, dict[str, Any]] = {}
    for passage in row.passages:
        article = article_of(passage)
        if article and passage.get("cited", True) and article not in found:
            found[article] = {
                "tenant": row.tenant,
                "turn_id": row.turn_id,
                "article_id": article[:200],
                "title": str(passage.get("title") or article),
                "url": str(passage.get("url") or ""),
                "at": row.at,
            }
    return list(found.values())


def article_of(passage: dict[str, Any]) -> str:
    """The article of a recorded passage, whose id is `article/n`."""
    return str(passage.get("article_id") or str(passage.get("id") or "").rpartition("/")[0])
