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

Place = tuple[str, tuple[str, ...]]
"""Of a section: its article and its headings."""


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
    told = {row["question"]: row for file in files for row in _by_section(file) if row["kb"] == kb}
    plain = [file for file in files if not any(_by_section(file))]
    rows = list(dict.fromkeys(row for file in plain for row in read_rows(file, leave_out="test")))
    rows = [row for row in rows if row.question not in told] + [_asked(row) for row in told.values()]
    words = int(settings.models.rerank_max_tokens * WORDS_PER_TOKEN)
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever, held = parts.retriever(settings), Sections(parts.snapshot)
        found = []
        for row in rows:
            labels = {_place(one): one["label"] for one in told.get(row.question, {"sections": ()})["sections"]}
            # Who labelled sections named those that only seem to answer, too.
            found_for = [] if labels else (await retriever.retrieve(row.question, {})).sections
            sections = [one.section for one in found_for]
            articles = dict.fromkeys(article for article, _ in labels)
            named = [section for article in articles for section in held.of_article(article)]
            sections += [one for one in named if (one.article_id, one.headings) in labels]
            texts = [window(row.question, section, words) for section in sections]
            read = [(section.article_id, text) for section, text in zip(sections, texts, strict=True)]
            places = [(section.article_id, section.headings) for section in sections]
            said = {text: labels[place] for place, text in zip(places, texts, strict=True) if place in labels}
            found.append(Question(kb, row, read, said))
        return found
    finally:
        parts.close()


def _by_section(file: Path) -> Iterator[dict[str, Any]]:
    """Rows in the section-label format; none of a file in another."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "sections" in row:
            yield row


def _asked(row: Mapping[str, Any]) -> Asked:
    gold = tuple(dict.fromkeys(one["article"] for one in row["sections"] if one["label"] == "answers"))
    return Asked(row["question"], gold, answerable=bool(gold))


def _place(section: Mapping[str, Any]) -> Place:
    return section["article"], tuple(section["headings"])


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
