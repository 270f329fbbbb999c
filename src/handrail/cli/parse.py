"""`handrail parse`: what `handrail ingest` would index, without an index."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from handrail.cli import Json, notes, results, settings_for
from handrail.errors import KnowledgeError
from handrail.types import Passage


def parse(
    paths: Annotated[list[Path], typer.Argument(help="Folders or files of articles, such as Markdown, HTML or PDF.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the JSON. Written when everything is parsed.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Cut articles into passages as `handrail ingest` does, and show or save them. Nothing is indexed.

    In the JSON, "boxes" are left, top, right and bottom as shares of the page. Examples:

    handrail parse docs/help

    handrail parse manual.pdf -o chunks.json
    """
    from handrail.assembly import build_embedder
    from handrail.cli.ingest import show_left_out
    from handrail.knowledge.chunker import Chunker
    from handrail.knowledge.folder import Folder
    from handrail.knowledge.ingest import Report, gather

    settings = settings_for()
    limit = settings.knowledge.max_article_bytes
    report = Report()
    articles, _ = gather([Folder(path, settings.knowledge.url_base, limit) for path in paths], report)
    chunker = Chunker(settings.knowledge, build_embedder(settings).count)
    passages = [passage for article in articles.values() for passage in chunker.passages(article)]
    held = {passage.article_id for passage in passages}
    report.empty += [key for key in articles if key not in held]
    told = {
        "articles": len(articles),
        "skipped": [asdict(one) for one in report.skipped],
        "rejected": [asdict(one) for one in report.rejected],
        "unpublished": report.unpublished,
        "empty": report.empty,
        "duplicates": report.duplicates,
        "chunks": [row(passage) for passage in passages],
    }
    if output is not None:
        _save(output, told)
    elif as_json:
        json.dump(told, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        for passage in passages:
            _show(passage)
    notes.print(f"{len(articles)} articles, {len(passages)} passages")
    show_left_out(report)
    if report.rejected:
        raise typer.Exit(1)


def row(passage: Passage) -> dict[str, Any]:
    """A passage as JSON has it."""
    pages = [{"page": place.page, "box": list(place.box) if place.box else None} for place in passage.places]
    return {
        "id": passage.id,
        "article_id": passage.article_id,
        "title": passage.title,
        "headings": list(passage.headings),
        "type": str(passage.kind) or "text",
        "text": passage.text,
        "url": passage.url,
        "tokens": passage.tokens,
        "facets": dict(passage.facets),
        "places": pages,
    }


def _show(passage: Passage) -> None:
    kind = f", {passage.kind}" if passage.kind else ""
    pages = sorted({place.page for place in passage.places})
    where = f", page {', '.join(map(str, pages))}" if pages else ""
    heading = " › ".join((passage.title, *passage.headings))
    results.print(f"{passage.id}  ({passage.tokens} tokens{kind}{where})\n{heading}\n\n{passage.text}\n\n---\n")


def _save(output: Path, told: dict[str, Any]) -> None:
    """Whole or not at all."""
    beside = output.with_name(f".{output.name}.part")
    try:
        beside.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        beside.replace(output)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise KnowledgeError(f"{output}: can't be written: {error.strerror}") from None
    notes.print(f"saved to {escape(str(output))}")
