"""`handrail report`: a cited report from a template of sections."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import handrail
from handrail.cli import KB, Json, MaxTokens, MaxUsd, loading, notes, settings_for
from handrail.errors import PermanentError
from handrail.llm.meter import Bounds
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.report import Report, Template

MARKDOWN, JSON = ".md", ".json"
SUFFIXES = (MARKDOWN, ".html", ".docx", JSON)
UNFINISHED = 3
"""Exit code where the report is there and a section of it is not written."""
FOLDER = "reports"
"""Of a knowledge base: finished sections of each template."""


def report(
    template: Annotated[Path | None, typer.Argument(help="Template: Markdown, a ## heading for each section.")] = None,
    kb: KB = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write: .md, .html, .docx or .json. Default: print Markdown.")
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Print the template that ships, to start from.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Make every section anew, finished ones too.")] = False,
    max_usd: MaxUsd = 1.0,
    max_tokens: MaxTokens = 500_000,
    as_json: Json = False,
) -> None:
    """Make a report from a template: what the articles say, with numbered sources, and what they leave open.

    A language model writes the sections if one is configured; otherwise the best sections of the articles are quoted.
    Sections that the articles say nothing about are marked [INSUFFICIENT DATA]. An interrupted run resumes where it
    stopped. Exit codes: 0 the report is complete, 1 there is none, 3 a section could not be written and is marked.

    Examples:

    handrail report --sample > monthly.md

    handrail report monthly.md --out monthly-report.html
    """
    from handrail.report import template as templates

    if sample:
        print(templates.sample(), end="")  # noqa: T201
        return
    if template is None:
        raise PermanentError("name a template, or print one to start from: handrail report --sample > monthly.md")
    _check(out, template)
    settings = settings_for(kb)
    asked = templates.read(template)
    made = asyncio.run(_made(settings, asked, Bounds(0, max_tokens, max_usd), fresh=fresh))
    _put(made, out, JSON if as_json else MARKDOWN)
    _say(made)
    if made.unfinished:
        raise typer.Exit(UNFINISHED)


async def _made(settings: Settings, template: Template, bounds: Bounds, *, fresh: bool) -> Report:
    with loading():
        from handrail.assembly import build_parts, kb_folder
        from handrail.assembly.reporting import reporter_over
        from handrail.report.journal import Journal
        from handrail.report.run import run

        parts = await asyncio.to_thread(build_parts, settings)
    kb, version = settings.knowledge.kb, parts.store.generation
    try:
        async with reporter_over(settings, parts) as reporter:
            asked = _digest(template.model_dump_json())
            depends = (asked, settings.model_dump_json(), version, reporter.made_with(template), handrail.__version__)
            file = kb_folder(settings, kb) / FOLDER / f"{asked}.jsonl"
            journal = Journal(file, _digest("\0".join(depends)), fresh=fresh)
            if len(journal):
                notes.print(f"{len(journal)} of {len(template.parts)} sections are finished. --fresh makes them anew")
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            with Progress(*columns, console=notes) as progress:
                task = progress.add_task("", total=len(template.parts))

                def advance(done: int, heading: str) -> None:
                    progress.update(task, completed=done, description=escape(heading))

                return await run(
                    template, reporter, journal, bounds, advance, kb=kb, kb_version=version, today=date.today()
                )
    finally:
        parts.close()


def _check(out: Path | None, template: Path) -> None:
    """Before any work is done. Raises PermanentError."""
    if out is None:
        return
    if out.suffix.lower() not in SUFFIXES:
        raise PermanentError(f"--out {out}: the name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not out.absolute().parent.is_dir():
        raise PermanentError(f"--out {out}: there is no folder {out.parent}. Create it first")
    if out.absolute() == template.absolute():
        raise PermanentError(f"--out {out} is the template. Name another file")


def _put(report: Report, out: Path | None, printed: str) -> None:
    from handrail.report.docx import docx
    from handrail.report.page import page
    from handrail.report.render import as_json, markdown

    texts: dict[str, Callable[[Report], str]] = {MARKDOWN: markdown, ".html": page, JSON: as_json}
    if out is None or printed == JSON:
        print(texts[printed](report), end="" if printed == MARKDOWN else "\n")  # noqa: T201
    if out is None:
        return
    suffix = out.suffix.lower()
    content = docx(report) if suffix not in texts else texts[suffix](report).encode()
    out.write_bytes(content)
    notes.print(f"written to {escape(str(out))}")


def _say(report: Report) -> None:
    without = sum(part.how == "insufficient" for part in report.parts)
    lacking = sum(len(part.lacking) for part in report.parts)
    spent = report.usage.input_tokens + report.usage.output_tokens
    cost = f", {report.usage.cost_usd:.2f} USD" if report.usage.cost_usd else ""
    notes.print(
        f"{len(report.parts)} sections, {without} without data, {lacking} data gaps"
        + (f"; {spent} tokens{cost}" if spent else "")
    )
    for part in report.unfinished:
        notes.print(f"[yellow]not written[/] {escape(part.heading)}: {escape(part.failed)}")
    if report.unfinished:
        notes.print("Run the same command again to write what is missing.")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
