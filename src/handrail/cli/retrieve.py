"""`handrail retrieve`: what is found for a question, before anything is answered."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer

from handrail.cli import KB, Chosen, Json, Project, filters_of, loading, notes, results, settings_for
from handrail.cli.parse import row
from handrail.settings import Settings
from handrail.types import Evidence
from handrail.types.filters import Filters


def retrieve(
    question: Annotated[str, typer.Argument(help="The question, as a visitor would ask it.")],
    kb: KB = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Show at most this many passages.")] = 10,
    as_json: Json = False,
    chosen: Chosen = None,
    project: Project = None,
) -> None:
    """Show the passages that are found for a question, best first, and the sections that were read.

    Each section comes with the probability that it answers the question. Example:

    handrail retrieve "How do I connect my domain?" --json
    """
    from handrail.text.guard import clean

    filters = filters_of(chosen, project)
    settings = settings_for(kb)
    found = asyncio.run(_found(settings, clean(question, settings.server.max_question_chars), filters))
    hits = found.hits[:limit]
    if as_json:
        told = {
            "query": found.query,
            "probability": found.probability,
            "sections": [
                {"heading": one.section.path, "url": one.section.url, "probability": one.probability}
                for one in found.sections
            ],
            "chunks": [
                {"score": hit.final, "dense": hit.dense, "keyword": hit.keyword, **row(hit.passage)} for hit in hits
            ],
        }
        print(json.dumps(told, ensure_ascii=False, indent=1))  # noqa: T201
        return
    for one in found.sections:
        results.print(f"{one.probability:.2f}  {one.section.path}  {one.section.url}".rstrip())
    for rank, hit in enumerate(hits, 1):
        results.print(f"\n{rank}. {hit.final:.2f}  {hit.passage.id}  {hit.passage.url}".rstrip())
        results.print(hit.passage.text)
    if not hits:
        notes.print("nothing was found")


async def _found(settings: Settings, text: str, filters: Filters) -> Evidence:
    with loading():
        from handrail.assembly.parts import build_parts

        parts = build_parts(settings)
    try:
        return await parts.retriever(settings).retrieve(text, filters)
    finally:
        parts.close()
