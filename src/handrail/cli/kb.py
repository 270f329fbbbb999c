"""`handrail kb`: what is indexed."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handrail.answer.known_wrong import KnownWrong, WrongAnswers
from handrail.assembly import current_index, kb_folder
from handrail.cli import KB, Json, notes, results, settings_for
from handrail.errors import KnowledgeError, SettingsError
from handrail.settings import Settings
from handrail.stores.server import Server

if TYPE_CHECKING:
    from handrail.knowledge.lint import Finding

app = typer.Typer(help="List, inspect and remove knowledge bases.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Name of the knowledge base.")]


def collections(settings: Settings) -> list[dict[str, Any]]:
    """One row per knowledge base and embedder."""
    from handrail.assembly.index import versions_of

    rows: list[dict[str, Any]] = []
    for kb, embedder in sorted(_pairs(settings)):
        versions = versions_of(_with(settings, kb), embedder)
        try:
            current = versions.current()
            now = next((version for version in versions.complete() if version.number == current), None)
        finally:
            versions.close()
        passages, number = (now.passages, now.number) if now else (0, None)
        row = {"kb": kb, "embedder": embedder, "passages": passages, "version": number, "complete": now is not None}
        rows.append(row)
    return rows


def _with(settings: Settings, kb: str) -> Settings:
    return settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})


def _pairs(settings: Settings) -> set[tuple[str, str]]:
    """Knowledge bases and the embedders they are indexed with, also from before there were versions."""
    from handrail.assembly.servers import in_folder, server_of
    from handrail.stores.chroma_client import on_disk
    from handrail.stores.version_folders import embedders

    shared, server = settings.storage.data_dir, server_of(settings.storage)
    if server is not None:
        return _held_by(server)
    own = sorted((shared / "kb").glob("*"))
    old = {pair for folder in (shared, *own) if on_disk(folder) for pair in _held_by(in_folder(folder))}
    return old | {(folder.name, embedder) for folder in own for embedder in embedders(folder)}


def _held_by(server: Server) -> set[tuple[str, str]]:
    try:
        told = [one.marks for one in server.collections()]
    finally:
        server.close()
    return {(marks["kb"], marks["embedder"]) for marks in told if "kb" in marks}


@app.command("list")
def list_kbs(as_json: Json = False) -> None:
    """List every knowledge base with its number of passages."""
    settings = settings_for()
    rows = collections(settings)
    if as_json:
        print(json.dumps(rows, indent=2))  # noqa: T201
        return
    for row in rows:
        state = "" if row["complete"] else "  (unfinished)"
        results.print(f"{row['kb']:20} {row['passages']:>8} passages  {row['embedder']}{state}")
    if not rows:
        notes.print(
            "There is no knowledge base yet: run `handrail ingest PATH --kb NAME`, or `handrail ingest --sample`."
        )


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """List the articles of one knowledge base with their number of passages and the source they came from."""
    from handrail.assembly.sourcing import names_of

    settings = settings_for(name)
    with current_index(settings) as store:
        stamps, generation = store.stamps(), store.generation
    tuned = _tuned(settings, generation)
    source = names_of(settings)
    rows = [
        {"article": key, "passages": len(stamp.digests), "source": source(key)} for key, stamp in sorted(stamps.items())
    ]
    if as_json:
        print(json.dumps(rows, indent=2))  # noqa: T201
        return
    for row in rows:
        results.print(f"{row['passages']:>4}  {row['article']}  ({row['source']})")
    if tuned:
        notes.print(tuned)
    calibrated = _calibrated(settings, generation)
    if calibrated:
        notes.print(calibrated)


@app.command()
def lint(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="The sources, to look at the links between their files as well.")
    ] = None,
    kb: KB = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out what needs the models: sections that no question reaches.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List what is wrong with the articles: template leftovers, broken links, duplicates, titles, addresses.

    Also sections that are among the first five found for no question: neither for their own headings nor for what
    visitors have asked. The exit code is 1 if there is anything.
    """
    from handrail.knowledge.lint import lint as findings_of
    from handrail.knowledge.lint_links import lint_links
    from handrail.stores.audience import Audience

    settings = settings_for(kb)
    with current_index(settings) as store:
        passages, _ = store.dump(Audience.AGENTS)
    found = findings_of(passages)
    unchecked = 0
    for path in paths or []:
        links = lint_links(path, settings.knowledge.max_article_bytes, _url_base(settings, path))
        found += links.findings
        unchecked += links.unchecked
    if not quick:
        found += _unreached(settings)
    if as_json:
        print(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2))  # noqa: T201
    else:
        for one in found:
            results.print(f"{one.kind}: {one.article}: {one.words}")
        notes.print(f"{len(found)} findings in {len(passages)} passages")
    if unchecked:
        hint = "" if settings.knowledge.url_base else ". Set knowledge.url_base if they lead to articles"
        notes.print(f"not checked: {unchecked} links to other parts of the site{hint}")
    if found:
        raise typer.Exit(1)


def _url_base(settings: Settings, path: Path) -> str:
    """The one that the articles of a folder are read with."""
    from handrail.assembly.sourcing import known_sources

    declared = (known.source for known in known_sources(settings) if known.source.kind == "folder")
    own = (source.url_base for source in declared if Path(source.where).resolve() == path.resolve())
    return next(filter(None, own), settings.knowledge.url_base)


def _unreached(settings: Settings) -> list[Finding]:
    import asyncio

    from rich.progress import track

    from handrail.assembly.reach import unreached

    found, of = asyncio.run(
        unreached(settings, time.time(), lambda every: track(every, "asking for sections", console=notes))
    )
    notes.print(f"{len(found)} of {of} sections are reached by no question")
    return found


def _calibrated(settings: Settings, generation: str) -> str | None:
    """The gate that `handrail calibrate` put in force, in one line."""
    from handrail.assembly.fitted import gate_file
    from handrail.models.calibration import load_calibration

    path = gate_file(settings, "answers")
    if not path.is_file():
        return None
    try:
        gate = load_calibration("answers", path)
    except SettingsError:
        return "gate: the file is damaged. Run `handrail calibrate` again, or use --reset"
    stale = "" if gate.index == generation else ". Older than the articles: run `handrail calibrate` again"
    bands = f"answered from {gate.threshold:.3f}, shown as closest from {gate.closest:.3f}"
    return f"gate: fitted on {gate.fitted_on} (n = {gate.n}), {bands}{stale}"


def _tuned(settings: Settings, generation: str) -> str | None:
    """What `handrail tune` put in force, in one line."""
    from handrail.assembly.fitted import FITTED
    from handrail.retrieve.tuned import read

    try:
        fit = read(kb_folder(settings, settings.knowledge.kb) / FITTED)
    except ValueError as error:
        return f"tuned: the file is damaged ({error}). Run `handrail tune` again"
    if fit is None:
        return None
    models = settings.models
    now = (generation, models.embedder, models.reranker, models.late)
    then = (fit.generation, fit.embedder, fit.reranker, fit.late)
    stale = "" if then == now else ". Not used: the articles or models have changed"
    parts = [f"{name} {value:g}" for name, value in sorted(fit.weights.items())] + ["a query map"] * bool(fit.adapter)
    low, middle, high = fit.gain
    return f"tuned: {', '.join(parts)}; nDCG@10 {middle:+.3f} ({low:+.3f} to {high:+.3f}) on {fit.decided_on}{stale}"


@app.command()
def suggestions(name: Name, as_json: Json = False) -> None:
    """Try out every question that could be offered after an answer, and keep those the articles answer.

    Serving does the same little by little; this does it at once. What was kept for these articles is not tried again.
    """
    import asyncio

    rows = asyncio.run(_suggested(settings_for(name, suggest={"enabled": True, "quiet_s": 0.0})))
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))  # noqa: T201
        return
    for article, texts in rows.items():
        results.print(article)
        for text in texts:
            results.print(f"  {text}")
    notes.print(f"{sum(map(len, rows.values()))} questions for {len(rows)} articles")


async def _suggested(settings: Settings) -> dict[str, list[str]]:
    import asyncio

    from rich.progress import track

    from handrail.assembly.parts import build_parts
    from handrail.assembly.suggesting import build_suggester
    from handrail.turn.wording import load_wording

    parts = await asyncio.to_thread(build_parts, settings)
    try:
        suggester = build_suggester(settings, parts, load_wording(settings.brand.name))
        if suggester is None:
            return {}
        known = suggester.known()
        for article in track(parts.snapshot.articles, "trying questions", console=notes):
            if article not in known:
                await suggester.make(article)
        return {article: [row.text for row in rows] for article, rows in sorted(suggester.known().items())}
    finally:
        await asyncio.to_thread(parts.close)


def _unknown(name: str) -> KnowledgeError:
    return KnowledgeError(f"there is no knowledge base {name!r}. `handrail kb list` shows the ones you have")


@app.command()
def drop(name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Remove a knowledge base and its fitted files. The article files are not touched."""
    from handrail.assembly.index import drop as removed

    settings = settings_for(name)
    found = [row for row in collections(settings) if row["kb"] == name]
    if not found:
        raise _unknown(name)
    if not yes:
        typer.confirm(f"Remove {name} ({sum(row['passages'] for row in found)} passages)?", abort=True)
    removed(settings)
    notes.print(f"removed {name}")


wrong = typer.Typer(help="Answers marked as wrong. The model is told to avoid them.", no_args_is_help=True)
app.add_typer(wrong, name="wrong")


@wrong.command("add")
def add_wrong(
    name: Name,
    question: Annotated[str, typer.Option("--question", help="What was asked.")],
    answer: Annotated[str, typer.Option("--answer", help="The answer that was wrong.")],
    why: Annotated[str, typer.Option("--why", help="What was wrong with it.")] = "",
) -> None:
    """Mark an answer as wrong; it takes effect with the next question like it."""
    WrongAnswers(kb_folder(settings_for(name), name)).add(KnownWrong(question, answer, why))
    notes.print(f"noted for {name}")


@wrong.command("list")
def list_wrong(name: Name, as_json: Json = False) -> None:
    """Answers marked as wrong, oldest first."""
    entries = WrongAnswers(kb_folder(settings_for(name), name)).all()
    if as_json:
        print(json.dumps([asdict(entry) for entry in entries], ensure_ascii=False, indent=2))  # noqa: T201
        return
    for entry in entries:
        why = f"  ({entry.why})" if entry.why else ""
        results.print(f"{entry.question}\n  {entry.answer}{why}", markup=False)
