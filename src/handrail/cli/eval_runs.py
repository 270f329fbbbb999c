"""`handrail eval runs`, `score`, `compare` and `report`: what was measured before."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from handrail.cli import Json, notes, results
from handrail.errors import HandrailError, MissingExtra, PermanentError
from handrail.settings import load_settings

Runs = Annotated[
    Path | None,
    typer.Option("--runs", help="Folder of run records. Default: eval/runs in a clone, otherwise in the data folder."),
]
RUN = (
    "A run's id, a part of it that no other has, `latest` or a command's name for its newest run "
    "(`retrieval~1` is the one before), or the path of a record."
)


def runs(
    command: Annotated[str | None, typer.Argument(help="List only runs of this command, such as `routing`.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Show at most N.")] = 20,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """List run records, newest first, with their headline figures."""
    entries, damaged = part("runs").listed(_folder(runs), command)
    for error in damaged:
        notes.print(f"[red]damaged[/] {escape(str(error))}", soft_wrap=True)
    if as_json:
        print(json.dumps({"runs": entries[:limit]}, indent=2))  # noqa: T201
        return
    if not entries:
        notes.print(f"no runs in {escape(str(_folder(runs)))}: `handrail eval routing` creates one")
        return
    shown = entries[:limit]
    widths = [max(len(item[name]) for item in shown) for name in ("run_id", "file")]
    for item in shown:
        few = f" first {item['limit']}" if item["limit"] else ""
        verdict = f"{item['verdict']}  " if item["verdict"] else ""
        figures = verdict + "  ".join(f"{name} {value:.3f}" for name, value in item["headline"].items())
        at = (item["revision"] or "no git")[:7] + ("+" if item["dirty"] else "")
        status = "" if item["status"] == "finished" else f"  {item['status']}"
        count = f"n {item['n']}" if item["n"] is not None else ""
        results.print(
            f"{item['run_id']:<{widths[0]}}  {item['file']:<{widths[1]}}{few}  {count:<6}  {figures}  {at}{status}"
        )
    if len(entries) > limit:
        notes.print(f"{len(entries) - limit} older ones: --limit {len(entries)}")


def score(
    run: Annotated[str, typer.Argument(help=RUN)],
    file: Annotated[
        Path | None, typer.Option("--file", help="The same questions with other gold labels. Rows are matched by id.")
    ] = None,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """Score the stored rows of a run again: free, since no model is asked. The result is a run of its own.

    After a change of the metrics, or with corrected gold:

    handrail eval score latest --file corrected.jsonl
    """
    evaluation = part("command")
    folder = _folder(runs)
    done = part("runs").score_again(folder, run, file)
    evaluation.show(done, evaluation.Options(as_json=as_json, runs=runs), typer.echo, notes)
    notes.print(f"[dim]run record: {escape(str(folder / done.id))}.json[/]", soft_wrap=True)
    status: int = evaluation.status(done)
    if status:
        raise typer.Exit(status)


def compare(
    a: Annotated[str, typer.Argument(help=f"Before. {RUN}")],
    b: Annotated[str, typer.Argument(help="After.")],
    rows_by: Annotated[
        str | None,
        typer.Option("--rows-by", help="The figure that decides which rows improved or got worse, such as `hit@1`."),
    ] = None,
    shared: Annotated[
        bool,
        typer.Option(
            "--shared", help="Also compare interrupted runs or runs with different limits, on the rows both have."
        ),
    ] = False,
    as_json: Json = False,
    runs: Runs = None,
) -> None:
    """Compare two runs row by row: differences with 95% intervals, McNemar's test, rows gained and lost.

    Runs of different commands, files or articles are refused, and the difference is named. Other differences
    (settings, code, models) are listed, since they are what you want to compare.
    """
    folder = _folder(runs)
    module, record = part("compare"), part("record")
    one, other = record.read(folder, a), record.read(folder, b)
    found = module.compare(one, other, rows_by=rows_by, shared=shared)
    if as_json:
        print(json.dumps(part("report").rounded(module.as_json(found)), indent=2))  # noqa: T201
    else:
        typer.echo(module.as_markdown(found, part("texts").texts(folder, one["run_id"])))


def report(
    run: Annotated[str, typer.Argument(help=RUN)],
    other: Annotated[str | None, typer.Argument(metavar="[RUN2]", help="A later run to compare with.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The file to write: .html, or .md for a summary. `-` prints the summary."),
    ] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Use only the rows both runs have, as in compare.")] = False,
    runs: Runs = None,
) -> None:
    """Write a run, or two side by side, as one HTML page with plots, tables and provenance.

    The page opens offline: it loads nothing, runs no script, and shows what rows say as text. With `--out FILE.md`
    a Markdown summary is written instead.

    handrail eval report refusal~1 refusal --out refusal.html
    """
    folder = _folder(runs)
    record = part("record")
    one = record.read(folder, run)
    two = record.read(folder, other) if other is not None else None
    found = part("compare").compare(one, two, shared=shared) if two is not None else None
    asked = part("texts").texts(folder, one["run_id"])
    path = out if out is not None else folder / f"{(two or one)['run_id']}.html"
    if str(path) == "-" or path.suffix.lower() == ".md":
        text = part("report").summary(two or one)
        if found is not None:
            text += "\n\n" + part("compare").as_markdown(found, asked)
    else:
        text = part("html").page(one, asked, two, found)
    if str(path) == "-":
        typer.echo(text)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise PermanentError(
            f"can't write the report {path}: {error.strerror}. Choose another file with --out"
        ) from None
    typer.echo(str(path))


def part(name: str) -> Any:
    """A module of the package `eval`, named by text: the product never imports what measures it."""
    try:
        return importlib.import_module(f"eval.{name}")
    except ModuleNotFoundError as error:
        if error.name not in ("eval", f"eval.{name}"):
            raise MissingExtra(f"`handrail eval` ({error.name})", "eval") from None
        raise HandrailError(
            "the evaluation code isn't installed: run `pip install --force-reinstall 'handrail[eval]'`"
        ) from None


def _folder(runs: Path | None) -> Path:
    return runs or Path(part("command").runs_folder(load_settings()))
