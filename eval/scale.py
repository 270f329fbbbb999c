"""How large a knowledge base may be: `python -m eval.scale --passages 10000 --index chroma`.

Passages are generated, with vectors as an embedder makes them of articles: those of one article lie near each other.
One process builds the index, and another reads it as a server does, so that the memory of each is its own. What models
take is not in the figures, since it doesn't depend on the number of passages; neither are the states of late
interaction (10 kB a passage, see docs/operating.md).
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import psutil
import typer
from numpy.typing import NDArray

from handrail.assembly import current_index, read_snapshot
from handrail.assembly.index import drop, writing
from handrail.settings import Settings, load_settings
from handrail.stores.audience import Audience
from handrail.types import Passage, Vectors

KB, GENERATION = "scale", "scale"
WIDTH, BATCH, PER_ARTICLE, WORDS, VOCABULARY = 384, 1000, 8, 60, 30_000
SPREAD = 0.6
"""Length of what sets a passage apart from its article, whose direction has length 1."""
QUERIES, K = 200, 50
SEED = 5
MB = 1 << 20


def words(drawn: np.random.Generator, count: int) -> str:
    """As often as in a language: the nth word one nth as often as the first."""
    ranks = np.minimum(drawn.zipf(1.2, size=count), VOCABULARY)
    return " ".join(f"w{rank}" for rank in ranks)


def batches(count: int) -> Iterator[tuple[list[Passage], Vectors]]:
    drawn = np.random.default_rng(SEED)
    direction = unit(drawn.normal(size=(1, WIDTH)))
    for start in range(0, count, BATCH):
        passages, vectors = [], np.empty((min(BATCH, count - start), WIDTH), dtype=np.float32)
        for row in range(len(vectors)):
            article, position = divmod(start + row, PER_ARTICLE)
            if not position:
                direction = unit(drawn.normal(size=(1, WIDTH)))
            vectors[row] = unit(direction + SPREAD * unit(drawn.normal(size=(1, WIDTH))))[0]
            facets = {"section": f"s{article % 100}"}
            id_ = f"article-{article}"
            text = words(drawn, WORDS)
            passages.append(Passage(f"{id_}/{position}", id_, position, f"Article {article}", (), text, "", 90, facets))
        yield passages, vectors


def unit(vectors: NDArray[Any]) -> Vectors:
    normed: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return normed


def build(settings: Settings, count: int, says: Callable[[dict[str, float]], None]) -> None:
    """Seconds and memory of writing the passages, and of making and keeping what keyword search reads."""
    start = time.perf_counter()
    with writing(settings) as made:
        store = made.begin()
        store.begin()
        for passages, vectors in batches(count):
            store.write(passages, vectors, ["d"] * len(passages), [PER_ARTICLE] * len(passages))
        store.finish(GENERATION)
        stored, stored_mb = time.perf_counter(), peak_mb()
        read_snapshot(settings, store)
        made.publish()
    ended = time.perf_counter()
    figures = {"store_s": stored - start, "store_mb": stored_mb, "snapshot_s": ended - stored, "build_mb": peak_mb()}
    says(figures)


def serve(settings: Settings, count: int, says: Callable[[dict[str, float]], None]) -> None:
    """Milliseconds of a query without models, and the memory of who answers them."""
    drawn = np.random.default_rng(SEED + 1)
    asked = [vectors[drawn.integers(len(vectors))] for _, vectors in batches(min(count, 20 * BATCH)) for _ in range(10)]
    queries = [unit(vector[None] + SPREAD * unit(drawn.normal(size=(1, WIDTH))))[0] for vector in asked][:QUERIES]
    texts = [words(drawn, 8) for _ in queries]
    before = now_mb()
    start = time.perf_counter()
    with current_index(settings) as store:
        snapshot = read_snapshot(settings, store)
        snapshot.keyword_scores(texts[0])
        store.search(queries[0], K, {})
        started = time.perf_counter() - start
        vector = timed(lambda n: store.search(queries[n], K, {}), len(queries))
        section = timed(lambda n: store.search(queries[n], K, {"section": f"s{n % 100}"}), len(queries))
        keyword = timed(lambda n: snapshot.keyword_scores(texts[n]), len(queries))
        cosines = timed(lambda n: snapshot.cosines(queries[n]), len(queries))
        exact = [np.argsort(-snapshot.cosines(query))[:K] for query in queries]
        found = [{id_ for id_, _ in store.search(query, K, {}, Audience.PUBLIC)} for query in queries]
        names = [{snapshot.passages[row].id for row in rows} for rows in exact]
        recall = float(np.mean([len(one & other) / K for one, other in zip(found, names, strict=True)]))
    figures = {"start_s": started, "serve_mb": now_mb() - before, "recall": recall}
    for name, times in (("vector", vector), ("filtered", section), ("keyword", keyword), ("cosines", cosines)):
        figures |= {f"{name}_p50_ms": percentile(times, 50), f"{name}_p95_ms": percentile(times, 95)}
    says(figures)


def timed(query: Callable[[int], object], times: int) -> list[float]:
    taken = []
    for n in range(times):
        start = time.perf_counter()
        query(n)
        taken.append(1000 * (time.perf_counter() - start))
    return taken


def percentile(values: list[float], share: int) -> float:
    return float(np.percentile(values, share))


def now_mb() -> float:
    return float(psutil.Process().memory_info().rss / MB)


def peak_mb() -> float:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (MB if sys.platform == "darwin" else 1024)


def apart(work: Callable[..., None], settings: Settings, count: int) -> dict[str, float]:
    """What `work` says in a process of its own."""
    context = multiprocessing.get_context("spawn")
    hears, says = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(settings, count, says.send))
    process.start()
    says.close()
    try:
        figures: dict[str, float] = hears.recv()
    except EOFError:
        raise typer.Exit(1) from None
    process.join()
    return figures


app = typer.Typer(add_completion=False)


@app.command()
def main(
    passages: Annotated[int, typer.Option(min=PER_ARTICLE, help="How many.")] = 10_000,
    index: Annotated[
        str, typer.Option(help="`chroma`, `postgres` or `qdrant`; addresses are as in the settings.")
    ] = "chroma",
) -> None:
    """Build an index of generated passages, search it, and remove it again. Prints JSON."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = load_settings(kb=KB)
        storage = settings.storage.model_copy(update={"data_dir": Path(scratch), "index": index})
        settings = settings.model_copy(update={"storage": storage})
        try:
            figures = {**apart(build, settings, passages), **apart(serve, settings, passages)}
        finally:
            drop(settings)
    rounded = {name: round(value, 3 if name == "recall" else 1) for name, value in figures.items()}
    print(json.dumps({"index": index, "passages": passages, **rounded}))  # noqa: T201


if __name__ == "__main__":
    app()
