"""`handrail tune`: fit retrieval to one knowledge base, and keep only what wins."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from handrail.assembly import build_parts, kb_folder
from handrail.assembly.fitted import FITTED
from handrail.calibrate.observe import names
from handrail.calibrate.rows import read_rows
from handrail.calibrate.service import KIND, LEAST
from handrail.cli import Json, notes, results, settings_for
from handrail.cli.calibrate import as_dict, refit, show
from handrail.errors import KnowledgeError, PermanentError
from handrail.retrieve.tuned import Tuned
from handrail.settings import Settings
from handrail.stores.snapshot import Snapshot
from handrail.tune.clock import Clock, Say
from handrail.tune.questions import Asked
from handrail.tune.run import Result, Verdict

PER_ARTICLE = 4
TEMPLATES = "questions generated from its articles' titles, headings, steps and sentences"
WRITTEN = "questions a language model wrote about its articles"


def tune(
    kb: Annotated[str, typer.Argument(help="Name of the knowledge base.")],
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, max=600, help="Time limit.")] = 5.0,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="Real questions to decide with: JSON lines {question, article_ids}."),
    ] = None,
    gates: Annotated[
        bool,
        typer.Option("--gates/--no-gates", help="Also fit the gate, if --file has questions that should be refused."),
    ] = True,
    accept_made: Annotated[
        bool, typer.Option("--accept-made", help="Without --file: let generated questions decide.")
    ] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Delete what was fitted and use the settings again.")] = False,
    as_json: Json = False,
) -> None:
    """Fit retrieval to one knowledge base: search weights, a query map and the gate.

    Only changes that improve results are applied.

    Questions are generated from the articles: some articles are used to fit, some to choose, the rest to measure.
    Generated questions flatter the results, so real questions should decide (--file; 60 or more are best).
    An interrupted run resumes where it stopped. If --file also has questions that no article answers
    (`"article_ids": []`, or `"should_refuse": true`), the gate is then fitted to the new retrieval.
    """
    settings = settings_for(kb)
    folder = kb_folder(settings, kb)
    if reset:
        _reset(folder)
        return
    human = asked_by_people(file) if file is not None else []
    follow = gates and file is not None and holds_both(file)
    result = run(settings, minutes, human, accept_made=accept_made)
    fitted = refit(settings, file) if file is not None and follow else None
    if as_json:
        gate = as_dict(fitted) if fitted is not None else None
        print(json.dumps({"kb": kb, **result.as_json(), "gate": gate}, indent=2))  # noqa: T201
    else:
        for verdict in result.verdicts:
            results.print(_table(verdict))
        if fitted is not None:
            show(fitted)
    notes.print(_outcome(kb, result, accept_made, fitted is not None))


def holds_both(file: Path) -> bool:
    """Whether the gate can be fitted to it: enough questions of both kinds, every one labelled."""
    try:
        answerable = [row.answerable for row in read_rows(file)]
    except KnowledgeError:
        return False
    return len(answerable) >= LEAST and min(sum(answerable), len(answerable) - sum(answerable)) >= KIND


def run(settings: Settings, minutes: float, human: list[Asked], *, accept_made: bool = False) -> Result:
    """Tune, and put what won in force; what does not win takes an earlier fit out of force."""
    from handrail.tune.bench import Bench
    from handrail.tune.keep import activate, reset
    from handrail.tune.questions import made_of
    from handrail.tune.run import tune as fitted

    folder = kb_folder(settings, settings.knowledge.kb)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    parts = build_parts(settings)
    _check_known(human, parts.snapshot.articles)
    with Progress(*columns, console=notes) as progress, Bench(parts, settings, folder / "tune") as bench:
        tasks: dict[str, int] = {}

        def say(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done)  # type: ignore[arg-type]

        clock = Clock(time.monotonic, minutes * 60)
        made, fitted_on = made_of(bench.parts.snapshot, PER_ARTICLE), TEMPLATES
        if settings.llm.configured:
            made, fitted_on = asyncio.run(_written(settings, bench.parts.snapshot, made, clock, say)), WRITTEN
        result = fitted(bench, settings, made, human, clock, say)
        generation = bench.parts.store.generation
    tuned = result.in_force(accept_made=accept_made)
    if tuned is not None:
        activate(folder / FITTED, tuned, result, generation, settings.models, fitted_on)
    else:
        reset(folder / FITTED)
    return result


async def _written(settings: Settings, snapshot: Snapshot, made: list[Asked], clock: Clock, say: Say) -> list[Asked]:
    """A third of the time goes into asking the model; articles it did not get to keep their made questions."""
    from handrail.assembly import build_prompts
    from handrail.llm import connect
    from handrail.tune.written import Writer

    models = connect(settings.llm)
    file = kb_folder(settings, settings.knowledge.kb) / "tune" / "questions.jsonl"
    try:
        writer = Writer(models.small, build_prompts(settings), settings.brand, file)
        return await writer.instead(made, snapshot, lambda: clock.left() > 0.66, say)
    finally:
        await models.aclose()


def asked_by_people(path: Path) -> list[Asked]:
    """Rows with gold articles. Raises PermanentError naming the line that cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise PermanentError(f"{path}: not UTF-8 text. Save it as UTF-8 JSON lines") from None
    except OSError as error:
        raise PermanentError(f"{path}: {error.strerror or error}") from None
    rows = [_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    asked = [row for row in rows if row is not None]
    if len(asked) < 2:
        raise PermanentError(f"{path}: {len(asked)} questions with article_ids, but at least 2 are needed")
    return asked


def _row(path: Path, number: int, line: str) -> Asked | None:
    wanted = f'{path}, line {number}: expected a JSON object like {{"question": "…", "article_ids": ["…"]}}'
    try:
        row = json.loads(line)
        question, gold = row["question"], row.get("article_ids") or []
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise PermanentError(wanted) from None
    if not isinstance(question, str) or not isinstance(gold, list) or not all(isinstance(name, str) for name in gold):
        raise PermanentError(wanted)
    return Asked(question, tuple(gold)) if gold and question.strip() else None


def _reset(folder: Path) -> None:
    from handrail.tune.keep import reset

    notes.print("back to the settings" if reset(folder / FITTED) else "nothing was fitted")


def _check_known(human: Sequence[Asked], articles: Sequence[str]) -> None:
    """Questions about articles that are not there count as misses. Raises KnowledgeError where all of them are."""
    unknown = [row for row in human if not any(names(row.articles, article) for article in articles)]
    if human and len(unknown) == len(human):
        raise KnowledgeError(
            f"none of the {len(human)} questions names an article in this knowledge base: not even "
            f"{unknown[0].articles[0]!r}. `handrail kb show NAME` lists their names"
        )
    if unknown:
        notes.print(
            f"[yellow]{len(unknown)} of {len(human)} questions[/] name articles that don't exist, such as "
            f"{escape(unknown[0].articles[0])}. They count as not found"
        )


def _outcome(kb: str, result: Result, accept_made: bool, gate_too: bool = False) -> str:
    tuned = result.in_force(accept_made=accept_made)
    if tuned is not None:
        return f"[green]in force[/] for {kb}: {_weights(tuned)}. Restart `handrail serve`; undo with --reset." + (
            f" The gate was fitted before this change: run `handrail calibrate --kb {kb}` next." if not gate_too else ""
        )
    if result.won:
        return (
            f"[yellow]nothing changed[/] for {kb}: it improves only on generated questions. "
            "Use real questions with --file, or accept the risk with --accept-made."
        )
    if result.tuned is None:
        return f"nothing beat the settings of {kb} on the articles used for selection. Nothing changed"
    return f"[yellow]nothing changed[/] for {kb}: the gain is uncertain (its interval includes zero)"


def _weights(tuned: Tuned) -> str:
    weights = ", ".join(f"{name} {value:g}" for name, value in sorted(tuned.weights.items()))
    return "; ".join(part for part in (weights, "a query map" if tuned.adapter is not None else "") if part)


def _table(verdict: Verdict) -> str:
    gain = verdict.gain
    figures = "  ".join(f"{name} {verdict.before[name]:.3f} -> {verdict.after[name]:.3f}" for name in verdict.before)
    return (
        f"{verdict.on} (n = {verdict.n}, {verdict.articles} articles): {figures}\n"
        f"  nDCG@10 changes by {gain.mean:+.3f} (95 % interval {gain.low:+.3f} to {gain.high:+.3f})"
    )
