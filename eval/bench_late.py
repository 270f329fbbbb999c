"""Late interaction and the cross-encoder as rerankers of the same candidates: `python -m eval.bench_late --set …`.

For each base, over rows that are not marked as test: the order of articles by the fused search alone, with the
cross-encoder blended in as in the settings, and with late interaction instead; and what each costs a question: time of
one thread, by turns in one run, the least of three.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from eval.variants import Base, Models, base_of, changed, figures, index, line
from handrail.assembly.models import build_late, build_reranker
from handrail.assembly.parts import WORDS_PER_TOKEN
from handrail.retrieve.rerank import window
from handrail.settings import Settings, load_settings
from handrail.stores import states
from handrail.stores.snapshot import Snapshot

OFF = "retrieval.late_weight=0,retrieval.rerank_depth=0"
ORDERS = ("retrieval.late_weight=0,retrieval.rerank_depth={pairs}", OFF, "retrieval.rerank_depth=0", "-")
TIMED = 30
REPEATED = 3


def least(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    spent = []
    for _ in range(REPEATED):
        start = time.process_time()
        work()
        spent.append(1000 * (time.process_time() - start))
    return min(spent)


def milliseconds(base: Base, settings: Settings, models: Models, pairs: int, cache: Path) -> tuple[float, float]:
    """Medians over questions: the cross-encoder over `pairs`, and late interaction over all that a search finds."""
    one = settings.model_copy(update={"models": settings.models.model_copy(update={"threads": 1})})
    reranker, late = build_reranker(one), build_late(one, "en")
    if late is None:
        raise SystemExit("models.late is `none`")
    snapshot = index(base, settings, models)
    texts = [passage.embedding_text for passage in snapshot.passages]
    held = states.read(cache / base.name, late.name, texts, late.passages, lambda done, total: None)
    words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
    found = []
    for row in base.rows[:TIMED]:
        near = nearest(snapshot, models, row.question, settings.retrieval.dense_k + settings.retrieval.keyword_k)
        read = [(row.question, window(row.question, snapshot.passages[at], words)) for at in near[:pairs]]
        asked = row.question
        found.append(
            (
                least(lambda read=read: reranker.score(read)),  # type: ignore[misc]
                least(lambda asked=asked, near=near: held.likeness(late.queries([asked])[0], near)),  # type: ignore[misc]
            )
        )
    by_pairs, by_tokens = np.median(np.asarray(found), axis=0)
    return float(by_pairs), float(by_tokens)


def nearest(snapshot: Snapshot, models: Models, question: str, most: int) -> Sequence[int]:
    cosines = snapshot.cosines(np.asarray(models.queries([question])[0]))
    return [int(at) for at in np.argsort(-cosines)[:most]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=3, action="append", required=True, metavar=("NAME", "ARTICLES", "FILE"))
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=10, help="what the cross-encoder reads")
    options = parser.parse_args()
    settings = load_settings()
    models = Models(settings, options.cache)
    print("| base | order | hit@1 | hit@5 | MRR | nDCG@10 | change of nDCG@10 |\n|" + "---|" * 7)
    try:
        for name, articles, file in options.set:
            base = base_of(name, Path(articles), Path(file), settings, "test")
            first = None
            for variant in ORDERS:
                chosen = changed(settings, variant.format(pairs=options.pairs))
                found = figures(base, chosen, models)
                first = first or found
                print(line(base, variant.format(pairs=options.pairs), first, found), flush=True)
            by_pairs, by_tokens = milliseconds(base, settings, models, options.pairs, options.cache)
            print(
                f"n = {len(base.rows)}; {options.pairs} pairs {by_pairs:.0f} ms, late interaction {by_tokens:.1f} ms: "
                f"{by_pairs / by_tokens:.1f} times",
                flush=True,
            )
    finally:
        models.save()


if __name__ == "__main__":
    main()
