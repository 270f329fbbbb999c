"""`handrail calibrate`: fit the gates to one knowledge base."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from handrail.commands import KB, Json, notes, results, settings_for
from handrail.llm.meter import Bounds
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.assembly import Parts
    from handrail.calibrate import Asked, Observed
    from handrail.calibrate.observe import Observer
    from handrail.calibrate.risk import Bound
    from handrail.calibrate.service import Outcome
    from handrail.calibration import Calibration

MADE = 240
"""Questions made of the articles when no file is given."""


def calibrate(
    kb: KB = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Labelled questions in the retrieval or refusal format.")
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(min=0.001, max=0.5, help="Bound the rate of wrong answers by this; needs --file."),
    ] = None,
    accept_made: Annotated[
        bool, typer.Option("--accept-made", help="Let questions made of the articles change the gates, a little.")
    ] = False,
    count: Annotated[
        int, typer.Option("--questions", min=40, max=5000, help="Questions to make without --file.")
    ] = MADE,
    templates: Annotated[
        bool, typer.Option("--templates", help="Make questions from templates even where an LLM is configured.")
    ] = False,
    max_usd: Annotated[
        float, typer.Option("--max-usd", min=0.0, help="The most an LLM may cost; 0 is no bound.")
    ] = 1.0,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=0, help="The most tokens an LLM may use, in and out; 0 is no bound.")
    ] = 500_000,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the gates that ship.")] = False,
    as_json: Json = False,
) -> None:
    """Fit the gates to a knowledge base: from a labelled file, or from questions made of its own articles.

    An LLM writes the questions and near-misses where one is configured, within --max-usd (counted with the prices in
    the settings) and --max-tokens; templates make them otherwise. Made questions are easier than people's, so without
    a file the figures are printed and nothing changes unless --accept-made is given. What was written and measured is
    kept: an interrupted run goes on where it stopped. Gates that do not win are left as they are.
    Example: handrail calibrate --kb acme --file questions.jsonl --risk 0.05
    """
    from handrail.errors import SettingsError

    settings = settings_for(kb)
    if reset:
        _reset(settings)
        return
    if risk is not None and file is None:
        raise SettingsError("--risk needs --file: a bound for made questions says nothing about people's")
    making = Making(count, settings.llm.configured and not templates, Bounds(0, max_tokens, max_usd))
    rows, report = asyncio.run(_observed(settings, file, making))
    outcomes, bound = _fit(settings, rows, file, risk, report, write=file is not None or accept_made)
    if file is None and not accept_made:
        notes.print("Nothing was changed: these are made questions. --file fits to people's, --accept-made to these.")
    if as_json:
        print(json.dumps(_as_json(settings, outcomes, bound), indent=1))  # noqa: T201
    else:
        show(outcomes, bound)


def refit(settings: Settings, file: Path) -> list[Outcome]:
    """What `handrail tune` does about the gates: fitted to labelled questions, kept only where they win."""
    rows, report = asyncio.run(_observed(settings, file, Making(MADE, False, Bounds())))
    return _fit(settings, rows, file, None, report, write=True)[0]


@dataclass(frozen=True, slots=True)
class Making:
    """How questions are made where there is no file of them."""

    count: int
    by_llm: bool
    bounds: Bounds
    """What the LLM may take for all of them."""


async def _observed(settings: Settings, file: Path | None, making: Making) -> tuple[list[Observed], str]:
    """Every question through retrieval and answering; and the generation of the index."""
    from handrail.assembly import build_parts, kb_folder
    from handrail.calibrate.log import ObservationLog
    from handrail.calibrate.made_with import made_with
    from handrail.calibrate.observe import Observer
    from handrail.calibrate.rows import read_rows

    labelled = read_rows(file) if file is not None else []
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        observer = Observer(parts, settings)
        log = ObservationLog(
            kb_folder(settings, settings.knowledge.kb) / "fitted" / "observed.jsonl", made_with(parts, settings)
        )
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=notes) as progress:
            asked = labelled or await _made(settings, parts, observer, making, progress)
            task = progress.add_task("asking", total=len(asked))
            rows = await log.observe(list(dict.fromkeys(asked)), observer.observe, lambda: progress.advance(task))
        return rows, parts.store.generation
    finally:
        parts.close()


async def _made(
    settings: Settings, parts: Parts, observer: Observer, making: Making, progress: Progress
) -> Sequence[Asked]:
    """Templates make what the LLM did not get to, so that there are always enough to say something."""
    from handrail.calibrate.questions import made

    written = await _written(settings, parts, observer, making, progress) if making.by_llm else []
    if len(written) >= making.count // 2:
        return written
    if making.by_llm:
        notes.print(f"The model wrote {len(written)} of {making.count} questions; templates make the others.")
    return [*written, *made(parts.snapshot, _strangers(), making.count - len(written))]


async def _written(
    settings: Settings, parts: Parts, observer: Observer, making: Making, progress: Progress
) -> Sequence[Asked]:
    from handrail.assembly import build_prompts, kb_folder
    from handrail.calibrate.written import Writer
    from handrail.llm import connect
    from handrail.llm.meter import metering

    models = connect(settings.llm)
    file = kb_folder(settings, settings.knowledge.kb) / "fitted" / "questions.jsonl"
    task = progress.add_task("writing questions", total=None)
    with metering(making.bounds) as meter:
        try:
            writer = Writer(models.small, build_prompts(settings), settings.brand, file, observer.search)
            rows = await writer.write(
                parts.snapshot, making.count, lambda done, total: progress.update(task, completed=done, total=total)
            )
        finally:
            await models.aclose()
    spent = meter.usage
    if meter.requests:
        cost = f", {spent.cost_usd:.2f} USD" if spent.cost_usd else ""
        notes.print(f"{meter.requests} calls, {spent.input_tokens + spent.output_tokens} tokens{cost}")
    return rows


def _strangers() -> list[str]:
    """Titles of the sample help centre: questions that another company's articles do not answer."""
    from handrail.commands.ingest import sample_folder

    return sorted(path.stem.replace("-", " ") for path in sample_folder().rglob("*.md"))


def _fit(
    settings: Settings, rows: list[Observed], file: Path | None, risk: float | None, index: str, *, write: bool
) -> tuple[list[Outcome], Bound | None]:
    from handrail.assembly.stages import fitted_gate
    from handrail.calibrate.risk import control, smallest_sample
    from handrail.calibrate.service import GATES, for_risk, halves, recalibrate
    from handrail.calibration import load_calibration

    held: list[Observed] = []
    if risk is not None:
        fitting, held = halves(rows)
        if len(held) < smallest_sample(risk) <= len(rows):
            fitting, held = [], rows
        rows = fitting
    on = f"{settings.knowledge.kb}: {file.name if file is not None else 'questions made of its articles'}"
    outcomes = [
        recalibrate(name, rows, load_calibration(name), labelled=file is not None, index=index, on=on) for name in GATES
    ]
    gates = {outcome.name: outcome.gate for outcome in outcomes}
    bound = None
    if risk is not None:
        bound = control(*for_risk(held, gates["relevance"], gates["critique"], settings.gates.relevance), risk)
        gates["critique"] = gates["critique"].model_copy(update={"index": index, "threshold": bound.threshold})
    gates = {name: named(gate, settings) for name, gate in gates.items()}
    for outcome in outcomes if write else ():
        path = fitted_gate(settings, outcome.name)
        if outcome.how == "kept" and gates[outcome.name].threshold is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            scratch = path.with_suffix(".part")
            scratch.write_text(gates[outcome.name].model_dump_json(indent=1) + "\n", encoding="utf-8")
            scratch.replace(path)
    return outcomes, bound


def named(gate: Calibration, settings: Settings) -> Calibration:
    """`gate` with the models whose scores it was fitted to: those in use, whichever the gate that ships is for."""
    from handrail.assembly.models import readers_of

    models, fitted = settings.models, readers_of(settings)
    reader = fitted.digest if fitted is not None else ""
    return gate.model_copy(update={"embedder": models.embedder, "reranker": models.reranker, "reader": reader})


def _reset(settings: Settings) -> None:
    from handrail.assembly.stages import fitted_gate

    for name in ("relevance", "critique"):
        fitted_gate(settings, name).unlink(missing_ok=True)
    notes.print(f"{settings.knowledge.kb} uses the gates that ship")


def _as_json(settings: Settings, outcomes: Sequence[Outcome], bound: Bound | None) -> dict[str, Any]:
    return {
        "kb": settings.knowledge.kb,
        "gates": figures(outcomes),
        "risk": asdict(bound) if bound is not None else None,
    }


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """By gate: what became of it and why, before and after."""
    return {
        item.name: {"how": item.how, "why": item.why, "before": asdict(item.before), "after": asdict(item.after)}
        for item in outcomes
    }


def show(outcomes: Sequence[Outcome], bound: Bound | None) -> None:
    for item in outcomes:
        results.print(f"{item.name}: {item.how}: {item.why} (cross-validated)")
        for name, found in (("before", item.before), ("after", item.after)):
            area = f"{found.auc:.3f}" if found.auc is not None else "-"
            error = f"ECE {found.ece:.3f} (by chance {found.ece_by_chance:.3f})"
            results.print(f"  {name:6}  AUC {area}  {error}  log loss {found.loss:.3f}")
    if bound is not None:
        results.print(
            f"risk: at most {bound.bound:.3f} of questions answered wrongly (asked for {bound.risk:g}, n = {bound.n}, "
            f"expected over questions like these); observed {bound.observed:.3f}"
        )
        results.print(
            f"  threshold {bound.threshold:.3f}; price: {bound.refused:.0%} of all questions refused, "
            f"{bound.refused_right:.0%} of the rightly answered ones"
        )
