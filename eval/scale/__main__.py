"""Measure indexes of several sizes: see `--help`."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Annotated

import typer

from eval.scale import building, forecast, serving
from eval.scale.apart import Stage, apart
from eval.scale.chart import chart
from eval.scale.generated import BLOCK, PER_ARTICLE
from eval.scale.measured import Measured
from eval.scale.table import table
from handrail.assembly.index import drop
from handrail.settings import Settings, load_settings

KB = "scale"
WHOLE = 200_000
"""Passages up to which articles are ingested as `handrail ingest` does it."""
UNITS = {"k": 1000, "m": 1_000_000}

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def stages(count: int) -> dict[str, Stage]:
    """By name, in order."""
    if count <= WHOLE:
        return {"ingest": building.ingest, "serve": serving.whole, "search": serving.vectors}
    return {
        "write": building.write,
        "search": serving.vectors,
        "keywords": building.keywords,
        "words": serving.keywords,
    }


@app.command()
def main(
    sizes: Annotated[str, typer.Option(help="Passages, such as `10k,50k,200k,1m`.")] = "10k",
    index: Annotated[
        str, typer.Option(help="`chroma`, `faiss`, `postgres` or `qdrant`; addresses are as in the settings.")
    ] = "chroma",
    work: Annotated[
        Path, typer.Option(help="Folder for the indexes and for `figures.json`; 6 GB for a million passages.")
    ] = Path("var/scale"),
    out: Annotated[Path | None, typer.Option(help="Where to draw the chart of all figures, as SVG.")] = None,
    again: Annotated[bool, typer.Option(help="Measure these sizes anew.")] = False,
    keep: Annotated[bool, typer.Option(help="Leave the indexes in the folder.")] = False,
) -> None:
    """Build indexes of generated passages, search them, remove them, and print all figures so far as tables.

    Up to 200,000 passages, articles go through the chunker, the store and the snapshot as `handrail ingest` takes them,
    and only the vectors are generated (the encoder runs on 64 passages, to tell its speed and to have its memory
    counted). Above that, the store and the keyword index are measured alone, with passages and vectors as generated.
    Late interaction and the encoder of many languages aren't part of it: see docs/operating.md.

    Vectors are not noise: topics, articles and passages lie as near to each other as an encoder puts them. Recall is
    the share of the nearest passages by exact comparison of all vectors that a search finds.

    Every stage runs in a process of its own, and its figures are kept in the folder. After Ctrl+C the same command goes
    on with the stage that was interrupted. From a million passages on, a model fitted to all measured sizes foretells
    ten million.
    """
    counts = [_count(one) for one in sizes.split(",")]
    measured = Measured(work / "figures.json")
    for count in counts:
        settings = _settings(work / f"{index}-{count}", index)
        if again:
            measured.forget(index, count)
        _measure(settings, count, measured)
        if not keep and _place(settings).exists():
            drop(settings)
            shutil.rmtree(_place(settings), ignore_errors=True)
    rows = measured.rows()
    typer.echo(table(rows))
    typer.echo(forecast.told(rows))
    if out is not None:
        out.write_text(chart(rows), encoding="utf-8")


def _measure(settings: Settings, count: int, measured: Measured) -> None:
    index = settings.storage.index
    for name, stage in stages(count).items():
        if measured.has(index, count, name):
            continue
        if name in ("ingest", "write"):
            shutil.rmtree(_place(settings), ignore_errors=True)
        start = time.monotonic()

        def says(line: str, at: str = name, start: float = start) -> None:
            typer.echo(f"{index}, {count:,} passages, {at}: {line} ({time.monotonic() - start:.0f} s)", err=True)

        measured.keep(index, count, name, apart(stage, settings, count, says))
        says("done")


def _place(settings: Settings) -> Path:
    return settings.storage.data_dir


def _settings(folder: Path, index: str) -> Settings:
    settings = load_settings(kb=KB)
    storage = settings.storage.model_copy(update={"data_dir": folder, "index": index})
    knowledge = settings.knowledge.model_copy(update={"lang": "en"})
    return settings.model_copy(update={"storage": storage, "knowledge": knowledge})


def _count(size: str) -> int:
    try:
        count = int(float(size.strip().rstrip("kmKM")) * UNITS.get(size.strip()[-1:].lower(), 1))
    except ValueError:
        count = 0
    if count < PER_ARTICLE or count % PER_ARTICLE or (count > BLOCK and count % BLOCK):
        raise typer.BadParameter(f"{size!r}: give sizes such as 800, 10k or 1m")
    return count


if __name__ == "__main__":
    app()
