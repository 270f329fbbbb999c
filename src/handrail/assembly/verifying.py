"""The verifier with the models it needs, in a turn or by itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

from handrail.assembly.models import Scores, build_reranker, entailing
from handrail.assembly.observing import build_prompts
from handrail.assembly.parts import shared_words
from handrail.models.batching import Batcher
from handrail.settings import Settings
from handrail.verify import Verifier
from handrail.verify.local import LocalVerifier
from handrail.verify.model import load_model

logger = logging.getLogger(__name__)


def local_verifier(settings: Settings, entails: Batcher[tuple[str, str], float]) -> LocalVerifier:
    """Said once, at start: scores fitted to other models are not probabilities."""
    model = load_model()
    if model.reranker != settings.models.reranker:
        logger.warning("claim checking was fitted with %s, not with %s", model.reranker, settings.models.reranker)
    return LocalVerifier(entails, model, settings.verify)


def _scores(settings: Settings) -> Scores:
    """The cross-encoder itself is loaded only where it has to stand in."""
    if settings.models.reranker == "none":
        return shared_words
    reranker = cache(lambda: build_reranker(settings))
    return entailing(settings, lambda pairs: reranker().score(pairs))


@asynccontextmanager
async def verifier_alone(settings: Settings) -> AsyncIterator[Verifier]:
    """As a turn would have it, without an index. Raises HandrailError when a model is missing."""
    models = settings.models
    score = await asyncio.to_thread(_scores, settings)
    entails = Batcher("entails", score, models.batch_size * 4, models.queue_limit)
    local = local_verifier(settings, entails)
    try:
        if not settings.llm.configured or settings.verify.llm == "off":
            yield local
            return
        from handrail.llm import connect
        from handrail.verify.llm import LlmVerifier

        provider = connect(settings.llm)
        try:
            yield LlmVerifier(local, provider.small, build_prompts(settings), settings.verify)
        finally:
            await provider.aclose()
    finally:
        entails.close()
