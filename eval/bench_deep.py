"""`python -m eval.bench_deep --set KB FILE …`: what deep retrieval gains without a model, and what its cache risks.

FILE is a retrieval set or a refusal set. For each switch the share of questions whose right article is among the first
one and five, against the plain retriever, paired. For the cache: all questions of the files one after the other, how
many would reuse what an earlier one found, and how many of these rest on other articles, or one of the two on none.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from eval.evaluators.retrieval import ranking
from eval.metrics.paired import paired
from handrail.assembly import build_parts, build_stages, new_trace_id
from handrail.assembly.deep import deepened
from handrail.assembly.parts import Parts
from handrail.gates import Calibrator
from handrail.observe.silent import SilentTracer
from handrail.retrieve.deep.cache import exact_terms, names_in
from handrail.settings import Settings, load_settings
from handrail.settings.tree import Deep
from handrail.types import Evidence, Vectors
from handrail.wording import load_wording

SWITCHES: dict[str, dict[str, str]] = {
    "plain": {},
    "grading local": {"grading": "local"},
    "correction local": {"correction": "local"},
    "decomposition local": {"decomposition": "local"},
}
THRESHOLDS = (0.95, 0.9, 0.85, 0.8, 0.7)
SEED = 20


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    articles: frozenset[str]
    """Empty where no article answers."""


def questions(paths: Sequence[Path]) -> Iterator[Asked]:
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            named = row.get("article_ids") or [row.get("expected_doc"), *(row.get("alt_docs") or [])]
            yield Asked(row["question"], frozenset() if row.get("should_refuse") else frozenset(filter(None, named)))


def said_otherwise(text: str) -> list[str]:
    """The same question as another visitor types it."""
    bare = re.sub(r"[?.!]+$", "", text)
    asked = re.sub(r"^how (?:do|can|could) (?:i|we)\b", "how to", bare, flags=re.IGNORECASE)
    return [bare.lower(), f"Hi, {bare[0].lower()}{bare[1:]}? Thanks", f"{asked} please"]


@dataclass(frozen=True, slots=True)
class Reuse:
    """Questions that would reuse an earlier one's passages; how many of these rest on other articles."""

    asked: int
    reused: int
    wrong: int


def reuse(asked: Sequence[Asked], vectors: Vectors, names: frozenset[str], above: float) -> Reuse:
    terms = [exact_terms(one.text, names) for one in asked]
    reused = wrong = 0
    for later in range(1, len(asked)):
        usable = [earlier for earlier in range(later) if terms[earlier] == terms[later]]
        cosines = vectors[usable] @ vectors[later] if usable else np.zeros(1)
        if float(cosines.max()) < above:
            continue
        reused += 1
        wrong += not asked[later].articles & asked[usable[int(cosines.argmax())]].articles
    return Reuse(len(asked) - 1, reused, wrong)


async def cache(asked: list[Asked], parts: Parts) -> None:
    random.Random(SEED).shuffle(asked)  # noqa: S311
    names = names_in(parts.snapshot.titles.values())
    vectors = np.stack(await parts.embed.submit([one.text for one in asked]))
    answerable = [place for place, one in enumerate(asked) if one.articles]
    others = [said_otherwise(asked[place].text) for place in answerable]
    again = np.stack(await parts.embed.submit([text for group in others for text in group]))
    own = np.repeat(vectors[answerable], [len(group) for group in others], axis=0)
    likeness = (again * own).sum(axis=1)
    for above in THRESHOLDS:
        found = reuse(asked, vectors, names, above)
        low, high = proportion(found.wrong, found.reused)
        print(
            f"  cache from {above}: of {found.asked} different questions {found.reused} reuse an earlier one's, "
            f"{found.wrong} wrongly ({low:.2f} to {high:.2f}); the same typed otherwise: "
            f"{(likeness >= above).mean():.3f} (n = {len(likeness)})"
        )


def proportion(found: int, of: int) -> tuple[float, float]:
    """95 %, exact (Clopper and Pearson, 1934)."""
    if not of:
        return 0.0, 1.0
    interval = binomtest(found, of).proportion_ci()
    return float(interval.low), float(interval.high)


async def switches(settings: Settings, parts: Parts, calibrator: Calibrator, asked: Sequence[Asked]) -> None:
    wanted = [one for one in asked if one.articles]
    base = parts.retriever(settings)
    scores: dict[str, dict[int, list[float]]] = {}
    for name, changes in SWITCHES.items():
        chosen = settings.model_copy(update={"deep": Deep.model_validate(changes)})
        retriever = deepened(base, chosen, parts, calibrator, None)
        found: list[Evidence] = [await retriever.retrieve(one.text, {}) for one in wanted]
        scores[name] = {
            k: [float(bool(set(ranking(e)[:k]) & o.articles)) for e, o in zip(found, wanted, strict=True)]
            for k in (1, 5)
        }
        for k in (1, 5):
            change = paired(np.asarray(scores["plain"][k]), np.asarray(scores[name][k]))
            low, high = change.interval or (float("nan"), float("nan"))
            print(f"  {name}: hit@{k} {change.b:.3f} ({change.difference:+.3f}, {low:+.3f} to {high:+.3f})")


async def measure(settings: Settings, files: Sequence[Path], *, cache_only: bool) -> None:
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        asked = list(questions(files))
        await cache(asked, parts)
        if not cache_only:
            wording = load_wording(settings.brand.name)
            stages = await asyncio.to_thread(build_stages, settings, parts, wording, SilentTracer(new_trace_id))
            await switches(settings, parts, stages.calibrator, asked)
    finally:
        parts.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs="+", action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    parser.add_argument("--cache-only", action="store_true")
    given = parser.parse_args()
    settings = load_settings()
    for kb, *files in given.sets:
        print(kb, flush=True)
        chosen = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
        asyncio.run(measure(chosen, [Path(file) for file in files], cache_only=given.cache_only))


if __name__ == "__main__":
    main()
