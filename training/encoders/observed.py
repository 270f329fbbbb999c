"""Questions about several knowledge bases, each with the sections that are read beside it: what readers learn from."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.assembly import build_parts
from handrail.assembly.parts import WORDS_PER_TOKEN
from handrail.calibrate import Asked
from handrail.calibrate.rows import read_rows
from handrail.retrieve.section_reader import window
from handrail.settings import Settings

Sets = Mapping[str, Sequence[Path]]
"""Files of questions by knowledge base, in the retrieval or the refusal format."""


@dataclass(frozen=True, slots=True)
class Question:
    kb: str
    asked: Asked
    read: Sequence[tuple[str, str]]
    """Article and text of each section as a reader is given it, the likeliest to answer first."""


def observed(sets: Sets, settings: Settings) -> list[Question]:
    """The written questions of every base in turn. No reader is asked: it is about to be taught by them."""
    models = settings.models.model_copy(update={"reader": False})
    unread = settings.model_copy(update={"models": models})
    return [row for kb, files in sets.items() for row in asyncio.run(_observe(kb, files, unread))]


async def _observe(kb: str, files: Sequence[Path], settings: Settings) -> list[Question]:
    settings = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
    rows = list(dict.fromkeys(row for file in files for row in read_rows(file, leave_out="test")))
    words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        found = []
        for row in rows:
            sections = [one.section for one in (await retriever.retrieve(row.question, {})).sections]
            read = [(section.article_id, window(row.question, section, words)) for section in sections]
            found.append(Question(kb, row, read))
        return found
    finally:
        parts.close()


def is_named(ids: Sequence[str], article: str) -> bool:
    """Ids of sixteen characters and more may be shortened."""
    return any(article == name or (len(name) >= 16 and article.startswith(name)) for name in ids)


def add_sets(parser: argparse.ArgumentParser) -> None:
    """The option `--set`."""
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")


def sets_of(given: argparse.Namespace) -> dict[str, list[Path]]:
    sets: dict[str, list[Path]] = {}
    for kb, file in given.sets:
        sets.setdefault(kb, []).append(Path(file))
    return sets


def named(sets: Sets) -> str:
    """For what is fitted to them, to say so."""
    return ", ".join(f"{kb}: {' '.join(file.name for file in files)}" for kb, files in sets.items())
