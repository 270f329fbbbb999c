"""What differs between the articles of one index, read with the models of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from handrail.assembly.models import build_embedder
from handrail.assembly.parts import build_parts
from handrail.assembly.verifying import local_verifier
from handrail.settings import Settings
from handrail.stores import snapshot as snapshots
from handrail.stores.audience import Audience
from handrail.stores.relations import Relations
from handrail.verify.conflicts import Conflict, conflicts


async def find_conflicts(settings: Settings, limit: int) -> Sequence[Conflict]:
    """Between articles that are in force, for agents as well. No language model is asked. Raises HandrailError."""
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        passages, vectors = await asyncio.to_thread(parts.store.dump, Audience.AGENTS)
        relations = Relations(snapshots.build(passages, vectors, audience=Audience.AGENTS))
        rows = [row for row, one in enumerate(passages) if not relations.outdated(one.article_id)]
        embedder = await asyncio.to_thread(build_embedder, settings)
        return await conflicts(
            [passages[row] for row in rows],
            vectors[rows],
            embedder.embed_passages,
            local_verifier(settings, parts.entails),
            least=settings.verify.shown_from,
            limit=limit,
        )
    finally:
        await asyncio.to_thread(parts.close)
