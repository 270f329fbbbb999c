"""Questions about several knowledge bases, each with the sections that are read beside it: what readers learn from."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handrail.assembly import build_parts
from handrail.assembly.parts import WORDS_PER_TOKEN
from handrail.calibrate import Asked
from handrail.calibrate.rows import read_rows
from handrail.retrieve.section_reader import window
from handrail.settings import Settings
from handrail.stores.sections import Sections

Sets = Mapping[str, Sequence[Path]]
"""Files of questions by knowledge base, in the retrieval, the refusal or the section-label format."""


@dataclass(frozen=True, slots=True)
class Question:
    kb: str
    asked: Asked
    read: Sequence[tuple[str, str]]
    """Article and text of each section as a reader is given it, the likeliest to answer first."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """`answers`, `helps` or `beside`, by text; empty where only the articles that answer are known."""


def observed(sets: Sets, settings: Settings) -> list[Question]:
    """The written questions of every base in turn. No reader is asked: it is about to be taught by them."""
    models = settings.models.model_copy(update={"reader": False})
    unread = settings.model_copy(update={"models": models})
    return [row for kb, files in sets.items() for row in asyncio.run(_observe(kb, files, unread))]


async def _observe(kb: str, files: Sequence[Path], settings: Settings) -> list[Question]:
    settings = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
    labelled = {row["question"]: row for file in files for row in _by_section(file) if row["kb"] == kb}
    plain = [file for file in files if not any(_by_section(file))]
    rows = list(dict.fromkeys(row for file in plain for row in read_rows(file, leave_out="test")))
    words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever, held = parts.retriever(settings), Sections(parts.snapshot)
        found = [_labelled(kb, row, held, words) for row in labelled.values()]
        for row in rows:
            if row.question not in labelled:
                sections = [one.section for one in (await retriever.retrieve(row.question, {})).sections]
                read = [(section.article_id, window(row.question, section, words)) for section in sections]
                found.append(Question(kb, row, read))
        return found
    finally:
        parts.close()


def _labelled(kb: str, row: Mapping[str, Any], held: Sections, words: int) -> Question:
    """Nothing is searched for: who labelled the sections named those that only seem to answer, too."""
    labels = {(one["article"], tuple(one["headings"])): one["label"] for one in row["sections"]}
    sections = [section for article in dict.fromkeys(article for article, _ in labels)
                for section in held.of_article(article) if (article, section.headings) in labels]  # fmt: skip
    read = [(section.article_id, window(row["question"], section, words)) for section in sections]
    said = {text: labels[article, section.headings] for section, (article, text) in zip(sections, read, strict=True)}
    gold = tuple(dict.fromkeys(article for (article, _), label in labels.items() if label == "answers"))
    return Question(kb, Asked(row["question"], gold, answerable=bool(gold)), read, said)


def _by_section(file: Path) -> Iterator[dict[str, Any]]:
    """Rows in the section-label format; none of a file in another."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "sections" in row:
            yield row


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
