"""What a change of settings does to the order of articles: `python -m eval.variants --set …`.

A VARIANT is settings joined by commas, such as `knowledge.split_above_tokens=200,retrieval.rerank_depth=0`; `-` changes
nothing. Articles are cut, embedded and indexed in memory by the product's own code, so that no index on disk is
touched; what models said is kept under `--cache`. Rows with `"split": "test"` are left out. Intervals are those of the
paired difference to the first variant.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eval.datasets.articles import KnownArticles
from eval.datasets.corpus import loader_of
from handrail.assembly.fitted import UNREAD, calibration_for
from handrail.assembly.models import build_embedder, build_late, build_scoring, readers_of
from handrail.assembly.parts import UNREAD_DEPTH, WORDS_PER_TOKEN
from handrail.calibrate import Asked
from handrail.calibrate.rows import read_rows
from handrail.knowledge import Article
from handrail.knowledge.chunker import Chunker
from handrail.models.batching import Batcher
from handrail.models.calibration import load_calibration
from handrail.retrieve.hybrid import HybridRetriever
from handrail.retrieve.late import LateInteraction
from handrail.retrieve.section_reader import SectionReader
from handrail.settings import Settings, assigned, load_settings, overlaid
from handrail.stores import states
from handrail.stores.audience import Audience
from handrail.stores.snapshot import Snapshot, build
from handrail.tune.memory import Remembered, as_row
from handrail.tune.score import Scores, gain, mean, scores
from handrail.types import Vectors
from handrail.types.filters import Filters

DEEP = {"top_k": 30, "max_per_article": 2}
LONG_WORD = re.compile(r"(?<![\w'’.@/-])[^\W\d_]{5,20}(?![\w'’@/-]|\.\w)")


@dataclass(frozen=True, slots=True)
class Base:
    """One knowledge base with questions of people."""

    name: str
    articles: Sequence[Article]
    rows: Sequence[Asked]


class Models:
    """The product's models, asked once for each text."""

    def __init__(self, settings: Settings, cache: Path) -> None:
        self._embedder = build_embedder(settings)
        self._settings = settings
        self._cache = cache
        name = settings.models.embedder.replace("/", "-")
        self.passages: Remembered[str] = Remembered(cache / f"passages-{name}.npz", self._embedder.embed_passages)
        self.queries: Remembered[str] = Remembered(cache / f"queries-{name}.npz", self._embedder.embed_queries)
        self._pairs: dict[str, Remembered[tuple[str, str]]] = {}
        self.late = build_late(settings, "en")
        self.count = self._embedder.count

    def late_interaction(self, base: Base, snapshot: Snapshot, settings: Settings) -> LateInteraction | None:
        weight = settings.retrieval.late_weight
        if self.late is None or not weight:
            return None
        encoder = self.late
        texts = [passage.embedding_text for passage in snapshot.passages]
        held = states.read(self._cache / base.name, encoder.name, texts, encoder.passages, lambda done, total: None)
        rows = {passage.id: row for row, passage in enumerate(snapshot.passages)}
        ask = Batcher("late", encoder.queries, 64, settings.models.queue_limit)
        return LateInteraction(ask, held, rows, weight)

    def pairs(self, settings: Settings) -> Remembered[tuple[str, str]]:
        reader = readers_of(settings)
        read = reader.digest if reader else ""
        name = f"{settings.models.reranker.replace('/', '-')}{read}-{settings.models.rerank_max_tokens}"
        if name not in self._pairs:
            file = self._cache / f"pairs-{name}.npz"
            scoring = build_scoring(settings)
            if scoring is None:
                raise ValueError("variants need a cross-encoder; models.reranker is none")
            self._pairs[name] = Remembered(file, lambda pairs: map(as_row, scoring.passages(pairs)))
        return self._pairs[name]

    def save(self) -> None:
        self.passages.save()
        self.queries.save()
        for scored in self._pairs.values():
            scored.save()


def base_of(name: str, articles: Path, file: Path, settings: Settings, leave_out: str) -> Base:
    held = [item for item in loader_of(articles, settings).articles() if isinstance(item, Article)]
    return Base(name, held, [row for row in read_rows(file, leave_out=leave_out) if row.article_ids])


def misspelt(text: str, rng: random.Random) -> str:
    """One slip in a word of five letters or more, and in a third of the others: as fast typing makes them."""
    long = [match.span() for match in LONG_WORD.finditer(text)]
    first = rng.randrange(len(long)) if long else 0
    for number, (start, end) in reversed(list(enumerate(long))):
        if number == first or rng.random() < 0.33:
            text = text[:start] + _slip(text[start:end], rng) + text[end:]
    return text


def _slip(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    kinds = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + rng.choice("aeiorstn") + word[at + 1 :],
    )
    return rng.choice(kinds)


def changed(settings: Settings, variant: str) -> Settings:
    """Raises an error for a setting that does not exist or a value out of bounds."""
    return overlaid(settings, assigned(variant.split(",") if variant != "-" else ()))


def index(base: Base, settings: Settings, models: Models) -> Snapshot:
    chunker = Chunker(settings.knowledge, models.count)
    passages = [passage for article in base.articles for passage in chunker.passages(article)]
    return build(passages, np.stack(models.passages([chunker.encoder_text(passage) for passage in passages])))


def figures(base: Base, settings: Settings, models: Models) -> list[Scores]:
    """One row per question, of articles, by the product's own retriever."""
    with searching(base, settings, models) as (snapshot, retriever):
        return asyncio.run(_ranked(base, retriever, KnownArticles(snapshot.articles)))


@contextmanager
def searching(base: Base, settings: Settings, models: Models) -> Iterator[tuple[Snapshot, HybridRetriever]]:
    """The product's own retriever over an index in memory."""
    snapshot = index(base, settings, models)
    ids = [passage.id for passage in snapshot.passages]

    def dense(embedding: Vectors, k: int, filters: Filters, audience: Audience) -> list[tuple[str, float]]:
        cosines = snapshot.cosines(embedding)
        return [(ids[row], float(cosines[row])) for row in np.argsort(-cosines, kind="stable")[:k]]

    limit = settings.models.queue_limit
    embed: Batcher[str, Vectors] = Batcher("embed", lambda texts: np.stack(models.queries(texts)), 64, limit)
    read = Batcher("read", models.pairs(settings).logits, 64, limit)
    words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
    retrieval = settings.retrieval.model_copy(update=DEEP)
    answers = calibration_for("answers", settings, index="", lang=snapshot.lang)
    depth = retrieval.rerank_depth or UNREAD_DEPTH
    try:
        yield (
            snapshot,
            HybridRetriever(
                snapshot,
                dense,
                embed,
                SectionReader(
                    snapshot, read if retrieval.rerank_depth else None, depth, words, answers, load_calibration(UNREAD)
                ),
                retrieval,
                late=models.late_interaction(base, snapshot, settings),
            ),
        )
    finally:
        embed.close()
        read.close()


async def _ranked(base: Base, retriever: HybridRetriever, known: KnownArticles) -> list[Scores]:
    found = []
    for row in base.rows:
        evidence = await retriever.retrieve(row.question, {})
        order = list(dict.fromkeys(hit.passage.article_id for hit in evidence.hits if not hit.neighbour))
        found.append(scores(order, sorted(known.resolve_all(row.article_ids))))
    return found


def line(base: Base, variant: str, first: Sequence[Scores], found: Sequence[Scores]) -> str:
    said: dict[str, Any] = mean(found)
    change = gain(first, found, [",".join(sorted(row.article_ids)) for row in base.rows])
    shown = " | ".join(f"{said[key]:.3f}" for key in ("hit@1", "hit@5", "mrr", "ndcg@10"))
    return f"| {base.name} | {variant} | {shown} | {change.mean:+.3f} ({change.low:+.3f} to {change.high:+.3f}) |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=3, action="append", required=True, metavar=("NAME", "ARTICLES", "FILE"))
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--with-test", action="store_true", help="take the rows marked as test too")
    parser.add_argument("--misspelt", action="store_true", help="with slips of the finger in every question")
    parser.add_argument("variants", nargs="+")
    options = parser.parse_args()
    settings = load_settings()
    models = Models(settings, options.cache)
    print("| base | variant | hit@1 | hit@5 | MRR | nDCG@10 | change of nDCG@10 |\n|" + "---|" * 7)
    try:
        for name, articles, file in options.set:
            base = base_of(name, Path(articles), Path(file), settings, "" if options.with_test else "test")
            if options.misspelt:
                rng = random.Random(7)  # noqa: S311
                rows = [replace(row, question=misspelt(row.question, rng)) for row in base.rows]
                base = replace(base, rows=rows)
            first: list[Scores] = []
            for variant in options.variants:
                found = figures(base, changed(settings, variant), models)
                first = first or found
                print(line(base, variant, first, found), flush=True)
            print(f"n = {len(base.rows)}", flush=True)
    finally:
        models.save()


if __name__ == "__main__":
    main()
