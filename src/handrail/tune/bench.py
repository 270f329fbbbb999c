"""The product's own retriever run over questions again and again, with only the first time costing model time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np

from handrail.assembly import Parts
from handrail.assembly.models import readers_of
from handrail.assembly.parts import untuned
from handrail.models.batching import Batcher
from handrail.retrieve.tuned import Tuned
from handrail.settings import Settings
from handrail.tune.memory import Remembered, as_row
from handrail.tune.questions import Asked
from handrail.tune.score import Scores, scores
from handrail.types import Vectors

DEEP = {"top_k": 20, "max_per_article": 2}
"""Enough passages for ten articles; their order is the product's."""

GoOn = Callable[[], bool]
"""Called after each question; false when there is no time for another."""


class Bench:
    """One knowledge base's `parts`, closed at the end; what the models said is kept in `folder`."""

    def __init__(self, parts: Parts, settings: Settings, folder: Path) -> None:
        self._settings = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update=DEEP)})
        self._built = parts
        self.untuned = untuned(settings, parts.snapshot.lang)
        """What is in force without any tuning, beside the settings."""
        models, limit = settings.models, settings.models.queue_limit
        name = f"{self._built.store.generation}-{models.embedder}".replace("/", "-").replace(":", "-")
        reranker, reader = models.reranker.replace("/", "-").replace(":", "-"), readers_of(settings)
        self._embedded: Remembered[str] = Remembered(
            folder / f"queries-{name}.npz", lambda texts: asyncio.run(self._built.embed.submit(texts))
        )
        self._scored: Remembered[tuple[str, str]] = Remembered(
            folder / f"pairs-{reranker}{reader.digest if reader else ''}-{models.rerank_max_tokens}.npz",
            lambda pairs: map(as_row, asyncio.run(self._built.read.submit(pairs))),
        )
        self.parts: Parts = replace(
            self._built,
            embed=Batcher("tune-embed", self._embedded, models.batch_size * 4, limit),
            read=Batcher("tune-read", self._scored.logits, models.batch_size * 4, limit),
            tuned=self.untuned,
        )

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Whatever was computed is kept, also when it was interrupted."""
        self.parts.embed.close()
        self.parts.read.close()
        self._embedded.save()
        self._scored.save()
        self._built.close()

    def rank(self, rows: Sequence[Asked], tuned: Tuned | None, go_on: GoOn) -> list[Scores]:
        """One row of figures per question; fewer when `go_on` ends it. None is how it is without tuning."""
        return asyncio.run(self._rank(rows, tuned, go_on))

    async def _rank(self, rows: Sequence[Asked], tuned: Tuned | None, go_on: GoOn) -> list[Scores]:
        retriever = replace(self.parts, tuned=tuned or self.untuned).retriever(self._settings)
        found = []
        for row in rows:
            evidence = await retriever.retrieve(row.text, {})
            ranked = list(dict.fromkeys(hit.passage.article_id for hit in evidence.hits))
            found.append(scores(ranked, row.articles))
            if not go_on():
                break
        return found

    def queries(self, rows: Sequence[Asked]) -> Vectors:
        """`(n, d)` float32, L2-normalised."""
        return np.stack(self._embedded([row.text for row in rows]))
