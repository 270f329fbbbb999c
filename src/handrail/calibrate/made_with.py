"""What observations depend on: another index, model or retrieval setting makes other ones."""

from __future__ import annotations

import hashlib

from handrail.assembly import Parts
from handrail.assembly.models import readers_of
from handrail.settings import Settings

VERSION = 11
"""Raised when signals change their meaning or there are new ones."""


def made_with(parts: Parts, settings: Settings) -> str:
    late = parts.late.encoder.name if parts.late is not None else "none"
    models = (settings.models.embedder, settings.models.reranker, settings.models.rerank_max_tokens, late)
    settled = (settings.retrieval.model_dump_json(), settings.generate.context_passages, settings.brand.covers)
    tuned = parts.tuned.digest if parts.tuned is not None else ""
    reader = readers_of(settings)
    digest = reader.digest if reader is not None else ""
    text = repr((VERSION, parts.store.name, parts.store.generation, models, settled, tuned, digest))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
