"""Questions about several knowledge bases, asked of each one and observed: what readers and gates are fitted to."""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.assembly import build_parts
from handrail.calibrate import Asked, Observed
from handrail.calibrate.log import ObservationLog
from handrail.calibrate.made_with import made_with
from handrail.calibrate.observe import Observer
from handrail.calibrate.rows import read_rows
from handrail.settings import Settings
from handrail.stores.snapshot import Snapshot

EASY = 12
"""Titles, questions of other knowledge bases, and general ones asked of each."""
GENERAL = (
    "what's the capital of France",
    "tell me a joke",
    "best pizza place near me",
    "how do I train a puppy",
    "who won the world cup in 2014",
    "write a poem about rain",
    "what's the weather tomorrow",
    "is bitcoin going up",
    "my back hurts, what should I do",
    "how to cook rice",
    "translate good morning into Japanese",
    "recommend a film for tonight",
)
TITLES = ("how do I {}", "{}", "{}?", "help with {}")

Sets = Mapping[str, Sequence[Path]]
"""Files of questions by knowledge base, in the retrieval or the refusal format."""


@dataclass(frozen=True, slots=True)
class Question:
    """What was observed of a question, and about which knowledge base it is."""

    kb: str
    seen: Observed


def observed(sets: Sets, settings: Settings, cache: Path, *, unread: Collection[str]) -> list[Question]:
    """Of every base in turn, its written questions and easy ones; kept in `cache`, so that a second time is quick.

    Of the bases that are `unread` nothing is read of whether passages answer: a reader is taught by these.
    """
    found = []
    for kb, files in sets.items():
        models = settings.models.model_copy(update={"reader": settings.models.reader and kb not in unread})
        here = settings.model_copy(update={"models": models})
        seen = asyncio.run(_observe(kb, files, here, cache, strange(kb, sets)))
        found += [Question(kb, row) for row in seen]
    return found


async def _observe(
    kb: str, files: Sequence[Path], settings: Settings, cache: Path, foreign: Sequence[str]
) -> list[Observed]:
    knowledge = settings.knowledge.model_copy(update={"kb": kb})
    settings = settings.model_copy(update={"knowledge": knowledge})
    rows = list(dict.fromkeys(row for file in files for row in read_rows(file, leave_out="test")))
    parts = await asyncio.to_thread(build_parts, settings)
    log = ObservationLog(cache / f"{kb}.jsonl", made_with(parts, settings))
    try:
        easy = [*titles(parts.snapshot), *(Asked(text, answerable=False, origin="foreign") for text in foreign)]
        return await log.observe([*rows, *easy], Observer(parts, settings).observe, lambda: None)
    finally:
        parts.close()


def titles(snapshot: Snapshot) -> list[Asked]:
    """A few titles as questions: what any gate must let through."""
    rng = random.Random(3)  # noqa: S311
    chosen = rng.sample(sorted(snapshot.titles.items()), min(EASY, len(snapshot.titles)))
    return [
        Asked(rng.choice(TITLES).format(title[:1].lower() + title[1:]), (article,), origin="title")
        for article, title in chosen
    ]


def strange(kb: str, sets: Sets) -> list[str]:
    """Questions that have nothing to do with `kb`: some that other bases answer, and general ones."""
    rng = random.Random(kb)  # noqa: S311
    others = [row.question for other, files in sets.items() if other != kb for f in files for row in answered(f)]
    return [*rng.sample(others, min(EASY, len(others))), *rng.sample(GENERAL, EASY // 2)]


def answered(file: Path) -> list[Asked]:
    return [row for row in read_rows(file, leave_out="test") if row.answerable]


def add_sets(parser: argparse.ArgumentParser) -> None:
    """The options `--set` and `--cache`."""
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    parser.add_argument("--cache", type=Path, default=Path("var/gates"), help="folder for observations; kept")


def sets_of(given: argparse.Namespace) -> dict[str, list[Path]]:
    sets: dict[str, list[Path]] = {}
    for kb, file in given.sets:
        sets.setdefault(kb, []).append(Path(file))
    return sets


def named(sets: Sets) -> str:
    """For what is fitted to them, to say so."""
    return ", ".join(f"{kb}: {' '.join(file.name for file in files)}" for kb, files in sets.items())
