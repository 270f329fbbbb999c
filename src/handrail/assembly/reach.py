"""Sections that no question finds: visitors never see them, whatever they say.

The questions are those that a section itself suggests (its heading alone, under its title, and asked as a question) and
those that visitors have asked. A section is reached if one of them finds it among the first five. The search is that of
a turn up to where sections are read, so this costs a fraction of a turn for each question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from handrail.answer.suggest.phrasing import asked
from handrail.assembly.backup import sqlite_records
from handrail.assembly.parts import Parts, build_parts
from handrail.knowledge.lint import Finding
from handrail.records.database import open_database
from handrail.records.learning import LearningRecords
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Settings
from handrail.stores.sections import Sections
from handrail.types import Section

FIRST = 5
"""Sections that are found early enough to be shown."""
ASKED_DAYS, MOST_ASKED = 90, 2000
"""How far back visitors' questions are looked at, and how many of them."""
KIND = "no question reaches"


async def unreached(
    settings: Settings, now: float, track: Callable[[Sequence[Section]], Iterable[Section]] = lambda found: found
) -> tuple[list[Finding], int]:
    """The sections, and how many there are in all. Raises HandrailError."""
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        sections = Sections(parts.snapshot)
        every = [one for article in parts.snapshot.articles for one in sections.of_article(article)]
        retriever = parts.retriever(settings)
        reached: set[str] = set()
        instead: dict[str, str] = {}
        for section in track(every):
            for question in _suggested(section, parts):
                if section.id in reached:
                    break
                found = await _first(retriever, sections, question)
                reached.update(one.id for one in found)
                if found and section.id not in reached:
                    instead.setdefault(section.id, found[0].path)
        for question in await _asked(settings, now) if len(reached) < len(every) else ():
            reached.update(one.id for one in await _first(retriever, sections, question))
    finally:
        await asyncio.to_thread(parts.close)
    left = [one for one in every if one.id not in reached]
    return [Finding(KIND, one.article_id, _told(one, instead.get(one.id))) for one in left], len(every)


def _told(section: Section, instead: str | None) -> str:
    return f"{section.path} (found instead: {instead})" if instead else section.path


def _suggested(section: Section, parts: Parts) -> Iterator[str]:
    """Questions that a section says it answers, each once."""
    heading = section.headings[-1] if section.headings else section.title
    phrased = asked(heading, parts.snapshot.lang, title=not section.headings)
    yield from dict.fromkeys(filter(None, (phrased, f"{section.title} {heading}", heading)))


async def _first(retriever: HybridRetriever, sections: Sections, question: str) -> list[Section]:
    found: dict[str, Section] = {}
    for hit in await retriever.search(question, {}):
        if len(found) >= FIRST:
            break
        found.update((one.id, one) for one in sections.of(hit.passage))  # short ones share a passage
    return list(found.values())


async def _asked(settings: Settings, now: float) -> list[str]:
    """What visitors asked; nothing where there are no records yet."""
    file = sqlite_records(settings.storage)
    if file is not None and not file.is_file():
        return []
    database = await open_database(settings.storage)
    try:
        return await LearningRecords(database, database.tenant).questions(now - ASKED_DAYS * 86_400, MOST_ASKED)
    finally:
        await database.close()
