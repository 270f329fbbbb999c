"""Query-passage pairs to distil on: what hybrid retrieval brings for each query, as the product would show it."""

from __future__ import annotations

import asyncio
import csv
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from handrail.assembly import Parts, build_parts
from handrail.assembly.parts import WORDS_PER_TOKEN
from handrail.answer.units import units
from handrail.retrieve.rerank import window
from handrail.settings import Settings
from handrail.tune.questions import ask_of
from handrail.types import Hit, Passage

Pair = tuple[str, str]

NEAR, MIDDLE, UNITS = 4, 3, 3
"""Passages of the first four, of the next twenty-six, and quotable units of the first three, per query."""


def utterances(intents: Path, count: int, rng: random.Random) -> list[str]:
    """A mixed sample of BANKING77, Bitext and CLINC150 training messages."""
    with (intents / "banking77" / "train.csv").open(encoding="utf-8", newline="") as file:
        banking = [row["text"] for row in csv.DictReader(file)]
    with (intents / "bitext-customer-intents" / "train.csv").open(encoding="utf-8", newline="") as file:
        bitext = [row["utterance"] for row in csv.DictReader(file)]
    clinc = json.loads((intents / "clinc150-oos" / "data_full.json").read_text(encoding="utf-8"))
    spoken = [text for text, _ in clinc["train"] + clinc["oos_train"]]
    return [text for source in (banking, bitext, spoken) for text in rng.sample(source, count // 3)]


def simulated(file: Path) -> list[str]:
    return [json.loads(line)["question"] for line in file.read_text(encoding="utf-8").splitlines()]


def pairs_of(
    settings: Settings, asked: Sequence[str], made: int, rng: random.Random, done: Callable[[int, int], None]
) -> Iterator[Pair]:
    """For one knowledge base: `asked` and `made` questions, each with about ten texts."""
    deep = settings.retrieval.model_copy(
        update={"rerank_depth": 0, "top_k": NEAR + 26, "max_per_article": 20, "neighbours": 0}
    )
    parts = build_parts(settings)
    try:
        sources = rng.choices(parts.snapshot.passages, k=made)
        own = [(ask_of(source, rng), source) for source in sources]
        queries: list[tuple[str, Passage | None]] = [*own, *((text, None) for text in asked)]
        rng.shuffle(queries)
        deep_settings = settings.model_copy(update={"retrieval": deep})
        words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
        for number, (query, source) in enumerate(queries):
            hits = list(asyncio.run(_hits(parts, deep_settings, query)))
            yield from texts_for(query, source, hits, parts.snapshot.passages, words, rng)
            done(number + 1, len(queries))
    finally:
        parts.close()


async def _hits(parts: Parts, settings: Settings, query: str) -> Sequence[Hit]:
    return (await parts.retriever(settings).retrieve(query, {})).hits


def texts_for(
    query: str,
    source: Passage | None,
    hits: Sequence[Hit],
    passages: Sequence[Passage],
    words: int,
    rng: random.Random,
) -> Iterable[Pair]:
    chosen = [hit.passage for hit in hits[:NEAR]]
    chosen += [hit.passage for hit in rng.sample(list(hits[NEAR:]), min(MIDDLE, len(hits[NEAR:])))]
    chosen.append(rng.choice(passages))
    if source is not None and source not in chosen:
        chosen.append(source)
    yield from ((query, window(query, passage, words)) for passage in chosen)
    quotable = units(hits[:3])
    yield from ((query, unit.for_scoring()) for unit in rng.sample(quotable, min(UNITS, len(quotable))))
