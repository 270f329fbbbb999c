"""Fusion weights over several knowledge bases: `python -m training.fusion --set KB FILE [--set KB FILE …]`.

The order of articles is that of `retrieve.hybrid` without the cross-encoder, which makes thousands of weightings cheap.
Rows with `"split": "test"` are left out. Each knowledge base is judged by the weights that the others chose, and every
single weight is printed at its neighbours' values too, so that one sees how flat the top is.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handrail.assembly import build_parts
from handrail.calibrate.rows import read_rows
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Retrieval, Settings, load_settings
from handrail.types import Vectors
from training.encoders.observed import is_named

GRID = {
    "dense_weight": (0.0, 0.5, 0.75, 1.0),
    "article_weight": (0.0, 0.2, 0.45, 0.6),
    "article_keyword_weight": (0.0, 0.4, 0.7),
}


@dataclass(frozen=True, slots=True)
class Case:
    question: str
    embedding: Vectors
    gold: frozenset[str]


class Fused(HybridRetriever):
    """Ranks articles by the fused score alone."""

    def ranks(self, cases: Sequence[Case]) -> list[int]:
        """Place of the first gold article for each case, from 1; 1000 where none is found."""
        return [self._rank(case) for case in cases]

    def _rank(self, case: Case) -> int:
        hits = self._search(case.question, case.embedding, {})
        articles = list(dict.fromkeys(hit.passage.article_id for hit in hits))
        return min((articles.index(name) + 1 for name in case.gold if name in articles), default=1000)


Scores = dict[str, float]


def scores(ranks: Sequence[int]) -> Scores:
    found = np.asarray(ranks)
    hits = {f"hit@{k}": float((found <= k).mean()) for k in (1, 3, 5, 10)}
    return {**hits, "mrr": float(np.where(found <= 10, 1 / found, 0.0).mean())}


def value(found: Scores) -> float:
    return (found["hit@1"] + found["hit@5"] + found["mrr"]) / 3


def measure(kb: str, file: Path, settings: Settings) -> dict[tuple[float, ...], Scores]:
    """Scores of every weighting of the grid for one knowledge base."""
    settings = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
    parts = build_parts(settings)
    try:
        known = frozenset(parts.snapshot.articles)
        rows = [row for row in read_rows(file, leave_out="test") if row.article_ids]
        embeddings = asyncio.run(parts.embed.submit([row.question for row in rows]))
        cases = [
            Case(row.question, embedding, frozenset(name for name in known if is_named(row.article_ids, name)))
            for row, embedding in zip(rows, embeddings, strict=True)
        ]
        print(f"{kb}: n={len(cases)}")
        found = {}
        for weights in itertools.product(*GRID.values()):
            chosen = Retrieval.model_validate(
                {**settings.retrieval.model_dump(), **dict(zip(GRID, weights, strict=True))}
            )
            fused = Fused(parts.snapshot, parts.store.search, parts.embed, parts.section_reader(settings), chosen, None)
            found[weights] = scores(fused.ranks(cases))
        return found
    finally:
        parts.close()


def show(label: str, found: Scores) -> None:
    print(f"  {label:52} " + " ".join(f"{key} {number:.3f}" for key, number in found.items()))


def best(grids: Sequence[dict[tuple[float, ...], Scores]]) -> tuple[float, ...]:
    return max(grids[0], key=lambda weights: sum(value(grid[weights]) for grid in grids))


def named(weights: Sequence[float]) -> str:
    return " ".join(f"{key} {weight:g}" for key, weight in zip(GRID, weights, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    settings = load_settings()
    grids = {kb: measure(kb, Path(file), settings) for kb, file in parser.parse_args().sets}
    current = tuple(float(getattr(settings.retrieval, key)) for key in GRID)
    for kb, grid in grids.items():
        print(kb)
        show(f"settings: {named(current)}", grid[current])
        others = [other for name, other in grids.items() if name != kb]
        if others:
            show(f"fitted to the others: {named(best(others))}", grid[best(others)])
        for place, (key, numbers) in enumerate(GRID.items()):
            for number in numbers:
                weights = (*current[:place], number, *current[place + 1 :])
                show(f"{key} {number:g}", grid[weights])
    print(f"fitted to all: {named(best(list(grids.values())))}")


if __name__ == "__main__":
    main()
