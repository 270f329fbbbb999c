"""`handrail kb conflicts`: where articles differ in a figure."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

from handrail.cli import KB, Json, loading, notes, results, settings_for
from handrail.settings import Settings
from handrail.types.evidence import heading_of


def add_to(app: typer.Typer) -> None:
    app.command()(conflicts)


def conflicts(
    kb: KB = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Pairs that are shown at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List sections of different articles that seem to give different figures for the same thing.

    Read each pair: two things that are said in the same words are listed, too. Articles for agents are included, and
    deprecated and superseded ones are not.
    """
    rows = asyncio.run(_conflicts(settings_for(kb), limit))
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))  # noqa: T201
        return
    for row in rows:
        for side in (row["first"], row["second"]):
            results.print(f"{side['article']}: {side['section']}\n  {side['text']}")
        results.print("")
    notes.print(f"{len(rows)} pairs to look at" if rows else "No two articles seem to differ in a figure.")


async def _conflicts(settings: Settings, limit: int) -> list[dict[str, Any]]:
    with loading():
        from handrail.assembly.conflicts import find_conflicts

        found = await find_conflicts(settings, limit)
    return [
        {"likeness": round(one.likeness, 3)}
        | {
            name: {
                "article": said.passage.article_id,
                "section": heading_of(said.passage.title, said.passage.headings),
                "url": said.passage.url,
                "text": said.text,
            }
            for name, said in (("first", one.first), ("second", one.second))
        }
        for one in found
    ]
