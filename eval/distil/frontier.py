"""Quality against milliseconds: rerankers, tokens a pair and pairs a question, over the same candidates in one run.

The time is processor time on one thread, the least of a few repetitions, so that a busy machine changes ratios little.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eval.datasets.articles import KnownArticles
from handrail.assembly import Parts, build_parts
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.onnx import OnnxReranker
from handrail.retrieve.rerank import LOGIT_SCALE, window
from handrail.settings import Settings
from handrail.tune.questions import Asked
from handrail.tune.score import Scores, gain, mean, scores
from handrail.types import Hit

DEEPEST = 20
DEPTHS = (5, 8, 10, 20)
REPEATED = 3
WORDS_PER_TOKEN = 0.7
"""Of plain English, so that a pair is about as long as its limit says; the product leaves room for code."""


@dataclass(frozen=True, slots=True)
class Point:
    model: str
    tokens: int
    depth: int
    weight: float
    """Share of the reranker in the order: 1 is the reranker alone."""
    ms: float
    figures: dict[str, float]
    against: tuple[float, float, float]
    """nDCG@10 against the first model at the same depth and weight and its own tokens: low, mean, high."""


@dataclass(frozen=True, slots=True)
class Candidates:
    asked: Asked
    hits: Sequence[Hit]
    """Fused order, reranker off."""


def candidates(settings: Settings, file: Path, limit: int | None) -> list[Candidates]:
    shallow = {"rerank_depth": 0, "top_k": 30, "max_per_article": 20, "neighbours": 0}
    settings = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update=shallow)})
    parts = build_parts(settings)
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        wanted = [row for row in rows if row.get("article_ids")][:limit]
        return asyncio.run(_candidates(parts, settings, wanted))
    finally:
        parts.close()


async def _candidates(parts: Parts, settings: Settings, rows: Sequence[dict[str, Any]]) -> list[Candidates]:
    retriever, known, found = parts.retriever(settings), KnownArticles(parts.snapshot.articles), []
    for row in rows:
        text, gold = str(row["question"]), tuple(known.resolve_all(row["article_ids"]))
        evidence = await retriever.retrieve(text, {})
        found.append(Candidates(Asked(text, gold), evidence.hits))
    return found


def model_of(name: str, settings: Settings, tokens: int) -> OnnxReranker:
    """A known reranker, or a folder with `model.onnx` and `tokenizer.json`."""
    folder = Path(name)
    if not folder.is_dir():
        folder = locate(find(name, "reranker"), settings.models.folder)
    spec = find("ms-marco-MiniLM-L12-v2-int8", "reranker")
    return OnnxReranker(spec, folder, threads=1, max_tokens=tokens, query_tokens=64)


def frontier(
    settings: Settings, rows: Sequence[Candidates], models: Sequence[str], tokens: Sequence[int], blended: float
) -> Iterator[Point]:
    """Points of each model and length, the first of both being what the others are compared with."""
    base: dict[tuple[int, float], list[Scores]] = {}
    for name, length in itertools.product(models, tokens):
        model = model_of(name, settings, length)
        logits = [_logits(model, row, length) for row in rows]
        taken = {depth: cost(model, rows, depth, length) for depth in DEPTHS}
        for depth, weight in itertools.product(DEPTHS, (1.0, blended)):
            ranked = [
                scores(order(row.hits, found, depth, weight), row.asked.articles)
                for row, found in zip(rows, logits, strict=True)
            ]
            against = gain(base.setdefault((depth, weight), ranked), ranked, [row.asked.text for row in rows])
            yield Point(
                Path(name).name,
                length,
                depth,
                weight,
                taken[depth],
                mean(ranked),
                (against.low, against.mean, against.high),
            )


def _logits(model: OnnxReranker, row: Candidates, tokens: int) -> list[float]:
    words = int(tokens * WORDS_PER_TOKEN)
    pairs = [(row.asked.text, window(row.asked.text, hit.passage, words)) for hit in row.hits[:DEEPEST]]
    return [float(logit) for logit in model.score(pairs)]


def order(hits: Sequence[Hit], logits: Sequence[float], depth: int, weight: float) -> list[str]:
    """Different articles, best first, as the product blends."""
    final = [
        weight / (1 + math.exp(-logit / LOGIT_SCALE)) + (1 - weight) * hit.fused
        for hit, logit in zip(hits[:depth], logits[:depth], strict=False)
    ]
    head = [hits[i].passage.article_id for i in np.argsort(-np.asarray(final), kind="stable")]
    return list(dict.fromkeys([*head, *(hit.passage.article_id for hit in hits[depth:])]))


def cost(model: OnnxReranker, rows: Sequence[Candidates], depth: int, tokens: int) -> float:
    """Milliseconds of one thread for a question's pairs, tokenising included: mean over questions of the least time."""
    words, least = int(tokens * WORDS_PER_TOKEN), []
    for row in rows[:3]:
        pairs = [(row.asked.text, window(row.asked.text, hit.passage, words)) for hit in row.hits[:depth]]
        taken = []
        for _ in range(REPEATED):
            start = time.process_time()
            model.score(pairs)
            taken.append(time.process_time() - start)
        least.append(min(taken))
    return 1000 * float(np.mean(least))


def as_markdown(points: Sequence[Point]) -> str:
    head = "| model | tokens | pairs | weight | ms | faster | nDCG@10 | MRR | hit@1 | hit@5 | against the first |\n"
    lines = [head + "|" + "---|" * 11]
    slowest = {point.depth: point.ms for point in reversed(points)}
    for p in points:
        f, (low, middle, high) = p.figures, p.against
        lines.append(
            f"| {p.model} | {p.tokens} | {p.depth} | {p.weight:g} | {p.ms:.0f} | {slowest[p.depth] / p.ms:.1f}x "
            f"| {f['ndcg@10']:.3f} | {f['mrr']:.3f} | {f['hit@1']:.3f} | {f['hit@5']:.3f} | "
            f"{middle:+.3f} ({low:+.3f} to {high:+.3f}) |"
        )
    return "\n".join(lines)


def as_json(points: Sequence[Point]) -> str:
    return json.dumps([asdict(point) for point in points], indent=1)
