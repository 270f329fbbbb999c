"""Searching an index of generated passages as a server does, against exact comparison of every vector."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from eval.scale.apart import Figures, Says, mapped_mb, own_mb
from eval.scale.building import keywords_of
from eval.scale.generated import SECTIONS, Generated, id_of
from handrail.assembly import read_snapshot
from handrail.assembly.index import current_index
from handrail.settings import Settings
from handrail.stores.keyword import KeywordIndex
from handrail.types import Vectors

QUERIES, K, SHOWN = 200, 50, 10
"""Queries; passages that each asks for, as `retrieval.dense_k` does; and those of them that recall is told of."""


def whole(settings: Settings, count: int, says: Says) -> Figures:
    """Store and snapshot, as a server holds them."""
    texts = Generated(count).asked(QUERIES)
    before, start = own_mb(), time.perf_counter()
    with current_index(settings) as store:
        snapshot = read_snapshot(settings, store)
        snapshot.keyword_scores(texts[0])
        started = time.perf_counter() - start
        says("searching for words")
        found = _times("keyword", lambda n: snapshot.keyword_scores(texts[n]))
    return {"snapshot_start_s": started, "snapshot_mb": own_mb() - before, **found}


def keywords(settings: Settings, count: int, says: Says) -> Figures:
    """The keyword index alone."""
    texts = Generated(count).asked(QUERIES)
    before, start = own_mb(), time.perf_counter()
    index = KeywordIndex.load(keywords_of(settings), "en")
    index.scores(texts[0])
    started = time.perf_counter() - start
    says("searching for words")
    return {
        "keyword_start_s": started,
        **_times("keyword", lambda n: index.scores(texts[n])),
        "keyword_mb": own_mb() - before,
    }


def vectors(settings: Settings, count: int, says: Says) -> Figures:
    """The store alone: opened, asked once, asked on."""
    generated = Generated(count)
    queries = generated.queries(QUERIES)
    own, mapped, start = own_mb(), mapped_mb(), time.perf_counter()
    with current_index(settings) as store:
        store.search(queries[0], K, {})
        started = time.perf_counter() - start
        says("searching")
        times = _times("vector", lambda n: store.search(queries[n], K, {}))
        times |= _times("filtered", lambda n: store.search(queries[n], K, {"section": f"s{n % SECTIONS}"}))
        found = [[id_ for id_, _ in store.search(query, K, {})] for query in queries]
    used = {"start_s": started, "serve_mb": own_mb() - own, "mapped_mb": mapped_mb() - mapped}
    says("comparing every vector")
    nearest = exact(generated, queries, K)
    shares = {f"recall_{k}": recall(nearest, found, k) for k in (SHOWN, K)}
    return {**used, **times, **shares}


def exact(generated: Generated, queries: Vectors, k: int) -> list[list[str]]:
    """Ids of the `k` nearest to each query, best first, by comparing it with every vector."""
    best = np.zeros((len(queries), 0), dtype=np.float32)
    held = np.zeros((len(queries), 0), dtype=np.int64)
    start = 0
    for block in generated.vectors():
        rows = np.broadcast_to(np.arange(start, start + len(block)), (len(queries), len(block)))
        best, held = np.hstack([best, queries @ block.T]), np.hstack([held, rows])
        order = np.argsort(-best, axis=1, kind="stable")[:, :k]
        best, held = np.take_along_axis(best, order, axis=1), np.take_along_axis(held, order, axis=1)
        start += len(block)
    return [[id_of(int(row)) for row in rows] for rows in held]


def recall(nearest: list[list[str]], found: list[list[str]], k: int) -> float:
    """The share of the `k` nearest that is among the first `k` found."""
    pairs = zip(nearest, found, strict=True)
    return float(np.mean([len(set(one[:k]) & set(other[:k])) / min(k, len(one)) for one, other in pairs]))


def _times(name: str, query: Callable[[int], object]) -> Figures:
    """On the clock, and of the processor, which other processes slow down less."""
    taken, worked = [], []
    for n in range(QUERIES):
        start, used = time.perf_counter(), time.process_time()
        query(n)
        taken.append(1000 * (time.perf_counter() - start))
        worked.append(1000 * (time.process_time() - used))
    p50, p95 = np.percentile(taken, [50, 95])
    return {f"{name}_p50_ms": float(p50), f"{name}_p95_ms": float(p95), f"{name}_cpu_ms": float(np.median(worked))}
