"""`handrail kb`: what is indexed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer

from handrail.assembly import kb_folder
from handrail.commands import Json, notes, results, settings_for
from handrail.errors import KnowledgeError, SettingsError
from handrail.known_wrong import KnownWrong, WrongAnswers
from handrail.settings import Settings

app = typer.Typer(help="Knowledge bases: list, look inside, remove.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Name of the knowledge base.")]


@contextmanager
def _index(settings: Settings, *, write: bool = False) -> Iterator[None]:
    """The lock that an index on disk asks for. Raises IndexBusy."""
    from handrail.stores.lock import IndexLock

    if settings.storage.chroma_url:
        yield
        return
    with IndexLock(settings.storage.data_dir, write=write):
        yield


def collections(settings: Settings) -> list[dict[str, Any]]:
    """One row per knowledge base and embedder."""
    from handrail.stores.chroma import connect

    client = connect(settings.storage.data_dir, settings.storage.chroma_url)
    rows = []
    for found in client.list_collections():
        metadata = found.metadata or {}
        if "kb" in metadata:
            row = {"kb": metadata["kb"], "embedder": metadata["embedder"], "passages": found.count()}
            rows.append({**row, "name": found.name, "complete": bool(metadata.get("generation"))})
    return sorted(rows, key=lambda row: (row["kb"], row["embedder"]))


@app.command("list")
def list_kbs(as_json: Json = False) -> None:
    """Every knowledge base with its number of passages."""
    settings = settings_for()
    with _index(settings):
        rows = collections(settings)
    if as_json:
        print(json.dumps(rows, indent=2))  # noqa: T201
        return
    for row in rows:
        state = "" if row["complete"] else "  (unfinished)"
        results.print(f"{row['kb']:20} {row['passages']:>8} passages  {row['embedder']}{state}")
    if not rows:
        notes.print("No knowledge base yet: run `handrail ingest PATH --kb NAME`, or `handrail ingest --sample`.")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """Articles of one knowledge base with their number of passages."""
    from handrail.stores.chroma import ChromaStore, connect

    settings = settings_for(name)
    with _index(settings):
        client = connect(settings.storage.data_dir, settings.storage.chroma_url)
        store = ChromaStore(client, name, settings.models.embedder)
        store.open()
        stamps = store.stamps()
        tuned = _tuned(settings, store.generation)
    rows = [{"article": key, "passages": len(stamp.digests)} for key, stamp in sorted(stamps.items())]
    if as_json:
        print(json.dumps(rows, indent=2))  # noqa: T201
        return
    for row in rows:
        results.print(f"{row['passages']:>4}  {row['article']}")
    if tuned:
        notes.print(tuned)
    for line in _gates(settings, store.generation):
        notes.print(line)


def _gates(settings: Settings, generation: str) -> Iterator[str]:
    """The gates that `handrail calibrate` put in force, a line each."""
    from handrail.assembly.stages import fitted_gate
    from handrail.calibration import load_calibration

    for name in ("relevance", "critique"):
        path = fitted_gate(settings, name)
        if not path.is_file():
            continue
        try:
            gate = load_calibration(name, path)
        except SettingsError:
            yield f"{name} gate: the file is damaged; run `handrail calibrate` again, or with --reset"
            continue
        stale = "" if gate.index == generation else "; older than the articles: run `handrail calibrate` again"
        threshold = "" if gate.threshold is None else f", threshold {gate.threshold:.3f}"
        yield f"{name} gate: fitted on {gate.fitted_on} (n = {gate.n}){threshold}{stale}"


def _tuned(settings: Settings, generation: str) -> str | None:
    """What `handrail tune` put in force, in one line."""
    from handrail.assembly.parts import FITTED
    from handrail.retrieve.tuned import read

    try:
        fit = read(kb_folder(settings, settings.knowledge.kb) / FITTED)
    except ValueError as error:
        return f"tuned: the file is damaged ({error}); run `handrail tune` again"
    if fit is None:
        return None
    models = settings.models
    now = (generation, models.embedder, models.reranker, models.late)
    then = (fit.generation, fit.embedder, fit.reranker, fit.late)
    stale = "" if then == now else "; not used, the articles or models have changed"
    parts = [f"{name} {value:g}" for name, value in sorted(fit.weights.items())] + ["a query map"] * bool(fit.adapter)
    if fit.effort is not None:
        parts.append(f"the cross-encoder reads {fit.effort.depth} passages of {fit.effort.words} words")
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
    from handrail.wording import load_wording

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


@app.command()
def drop(name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Remove a knowledge base and its fitted files. The articles themselves are not touched."""
    import shutil

    from handrail.stores.chroma import connect

    settings = settings_for(name)
    with _index(settings, write=True):
        found = [row for row in collections(settings) if row["kb"] == name]
        if not found:
            raise KnowledgeError(f"there is no knowledge base {name!r}; `handrail kb list` shows what there is")
        if not yes:
            typer.confirm(f"Remove {name} ({sum(row['passages'] for row in found)} passages)?", abort=True)
        client = connect(settings.storage.data_dir, settings.storage.chroma_url)
        for row in found:
            client.delete_collection(row["name"])
        shutil.rmtree(kb_folder(settings, name), ignore_errors=True)
    notes.print(f"removed {name}")


wrong = typer.Typer(help="Answers marked as wrong: the answering model is warned of them.", no_args_is_help=True)
app.add_typer(wrong, name="wrong")


@wrong.command("add")
def add_wrong(
    name: Name,
    question: Annotated[str, typer.Option("--question", help="What was asked.")],
    answer: Annotated[str, typer.Option("--answer", help="The answer that was wrong.")],
    why: Annotated[str, typer.Option("--why", help="What is wrong with it.")] = "",
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
