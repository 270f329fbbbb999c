"""What differs between the articles of one index, read with the models of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from handrail.assembly.models import build_embedder
from handrail.assembly.parts import index_folder
from handrail.assembly.verifying import verifier_alone
from handrail.settings import Settings
from handrail.stores import snapshot as snapshots
from handrail.stores.audience import Audience
from handrail.stores.chroma import ChromaStore, connect, not_indexed, on_disk
from handrail.stores.relations import Relations
from handrail.verify.conflicts import Conflict, conflicts


async def find_conflicts(settings: Settings, limit: int) -> Sequence[Conflict]:
    """Between articles that are in force, for agents as well. Raises HandrailError."""
    kb = settings.knowledge.kb
    folder = index_folder(settings, kb)
    if not settings.storage.chroma_url and not on_disk(folder):
        raise not_indexed(kb, settings.models.embedder)
    store = ChromaStore(connect(folder, settings.storage.chroma_url), kb, settings.models.embedder)
    store.open()
    passages, vectors = await asyncio.to_thread(store.dump, Audience.AGENTS)
    embedder = await asyncio.to_thread(build_embedder, settings)
    held = snapshots.build(passages, vectors, audience=Audience.AGENTS)
    relations = Relations(held)
    rows = [row for row, one in enumerate(passages) if not relations.outdated(one.article_id)]
    async with verifier_alone(settings) as verifier:
        return await conflicts(
            [passages[row] for row in rows],
            vectors[rows],
            embedder.embed_passages,
            verifier,
            least=settings.verify.shown_from,
            limit=limit,
        )
