"""The verifier with the models it needs, in a turn or by itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.assembly.models import build_embedder, build_reranker
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import shared_words
from handrail.generate import Verifier
from handrail.generate.verify.local import LocalVerifier
from handrail.generate.verify.model import load_model
from handrail.local_models.batching import Batcher
from handrail.settings import Settings
from handrail.types import Vectors

logger = logging.getLogger(__name__)


def local_verifier(
    settings: Settings, embed: Batcher[str, Vectors], rerank: Batcher[tuple[str, str], float]
) -> LocalVerifier:
    """Said once, at start: scores fitted to other models are not probabilities."""
    model = load_model()
    fitted, used = (model.embedder, model.reranker), (settings.models.embedder, settings.models.reranker)
    if fitted != used:
        logger.warning("claim checking was fitted with %s and %s, not with %s and %s", *fitted, *used)
    return LocalVerifier(embed, rerank, model, settings.verify)


@asynccontextmanager
async def verifier_alone(settings: Settings) -> AsyncIterator[Verifier]:
    """As a turn would have it, without an index. Raises HandrailError when a model is missing."""
    embedder = await asyncio.to_thread(build_embedder, settings)
    score = (await asyncio.to_thread(build_reranker, settings)).score if settings.models.reranker != "none" else None
    models = settings.models
    embed = Batcher("embed", embedder.embed_queries, models.batch_size * 4, models.queue_limit)
    rerank = Batcher("rerank", score or shared_words, models.batch_size * 4, models.queue_limit)
    local = local_verifier(settings, embed, rerank)
    try:
        if not settings.llm.configured or settings.verify.llm == "off":
            yield local
            return
        from handrail.generate.verify.llm import LlmVerifier
        from handrail.llm import connect

        provider = connect(settings.llm)
        try:
            yield LlmVerifier(local, provider.small, build_prompts(settings), settings.verify)
        finally:
            await provider.aclose()
    finally:
        embed.close()
        rerank.close()
