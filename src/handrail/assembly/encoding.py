"""Who encodes the passages of an ingest: this process, others on this machine, or the machines of a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from handrail.assembly.models import build_embedder
from handrail.errors import MissingExtra
from handrail.knowledge.ingest import BATCH
from handrail.models import Embedder
from handrail.settings import Models, Settings
from handrail.types import Vectors

Workers = Literal["own", "ray"] | int
"""A number is one of processes on this machine, each with one thread."""
AT_ONCE = 64
"""Batches that a cluster is given together, so that every machine has some."""
STORE_BYTES = 200_000_000
"""Of a cluster that is started here, for what its processes hand each other."""


@dataclass(frozen=True, slots=True)
class Encoding:
    embed: Callable[[Sequence[str]], Vectors]
    batch: int
    """Texts to give it at a time."""


@contextmanager
def encoding(settings: Settings, embedder: Embedder, workers: Workers = "own") -> Iterator[Encoding]:
    """`ray`: the cluster at RAY_ADDRESS, or one on this machine. The vectors are the same. Raises MissingExtra."""
    if workers == "own":
        yield Encoding(embedder.embed_passages, BATCH)
        return
    if isinstance(workers, int):
        from handrail.assembly.encoders import encoders

        with encoders(settings.models, workers) as embed_there:
            yield Encoding(embed_there, BATCH * workers)
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("--workers ray", "ray") from None
    own = not ray.is_initialized()
    if own:
        here = {} if os.environ.get("RAY_ADDRESS") else {"object_store_memory": STORE_BYTES, "include_dashboard": False}
        ray.init(log_to_driver=False, configure_logging=False, **here)
    ray.data.DataContext.get_current().enable_progress_bars = False
    each = settings.models.threads
    size = max(1, int(ray.cluster_resources().get("CPU", 1)) // each)

    def embed(texts: Sequence[str]) -> Vectors:
        rows = ray.data.from_items([{"row": row, "text": text} for row, text in enumerate(texts)])
        pool = ray.data.ActorPoolStrategy(size=min(size, -(-len(texts) // BATCH)))
        done = rows.map_batches(
            _Encoder, fn_constructor_args=(settings.models,), batch_size=BATCH, num_cpus=each, compute=pool
        )
        vectors = np.zeros((len(texts), embedder.dimensions), dtype=np.float32)
        for batch in done.iter_batches(batch_size=None):
            vectors[batch["row"]] = np.stack(list(batch["vector"]))
        return vectors

    try:
        yield Encoding(embed, BATCH * AT_ONCE)
    finally:
        if own:
            ray.shutdown()


class _Encoder:
    """One process of the cluster, with its own copy of the model. It is told nothing else of the settings."""

    def __init__(self, models: Models) -> None:
        self._embedder = build_embedder(Settings(models=models))

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        return {"row": batch["row"], "vector": self._embedder.embed_passages([str(text) for text in batch["text"]])}
