"""`handrail calibrate`: fit the gate to one knowledge base."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from handrail.cli import KB, Json, MaxTokens, MaxUsd, notes, results, settings_for
from handrail.llm.meter import Bounds
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.assembly import Parts
    from handrail.calibrate import Asked
    from handrail.calibrate.observe import Observer
    from handrail.calibrate.service import Outcome
    from handrail.models.calibration import Calibration

GATE = "answers"
MADE = 240
"""Questions made of the articles when no file is given."""


def calibrate(
    kb: KB = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Labelled questions in the retrieval or refusal format.")
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(min=0.001, max=0.5, help="Upper bound on the share of wrong answers. Needs --file."),
    ] = None,
    accept_made: Annotated[
        bool, typer.Option("--accept-made", help="Let questions generated from the articles shift the gate slightly.")
    ] = False,
    count: Annotated[
        int, typer.Option("--questions", min=40, max=5000, help="Number of questions to generate without --file.")
    ] = MADE,
    templates: Annotated[
        bool, typer.Option("--templates", help="Generate questions from templates even if an LLM is configured.")
    ] = False,
    max_usd: MaxUsd = 1.0,
    max_tokens: MaxTokens = 500_000,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the default gate.")] = False,
    as_json: Json = False,
) -> None:
    """Fit the gate to a knowledge base, from a labelled file or from questions generated from its articles.

    The gate estimates how likely a section answers. A slope, a shift and its two thresholds are fitted, and applied
    only if they win on questions they weren't fitted to. Generated questions are easier than real ones: without --file
    the figures are printed, and nothing changes unless you pass --accept-made. If an LLM is configured, it writes the
    generated questions, within --max-usd (at the prices in your settings) and --max-tokens; otherwise templates are
    used. An interrupted run resumes where it stopped.

    Example: handrail calibrate --kb acme --file questions.jsonl --risk 0.05
    """
    from handrail.assembly.fitted import gate_file
    from handrail.errors import SettingsError

    settings = settings_for(kb)
    if reset:
        gate_file(settings, GATE).unlink(missing_ok=True)
        notes.print(f"{settings.knowledge.kb} uses the default gate")
        return
    if risk is not None and file is None:
        raise SettingsError("--risk needs --file: a bound fitted to generated questions says nothing about real ones")
    making = Making(count, settings.llm.configured and not templates, Bounds(0, max_tokens, max_usd))
    outcome = asyncio.run(_fitted(settings, file, making, risk))
    if file is not None or accept_made:
        _put(settings, outcome)
    else:
        notes.print("Nothing changed: these questions are generated. Use --file for real ones, or --accept-made.")
    if as_json:
        risk_told = asdict(outcome.bound) if outcome.bound is not None else None
        told = {"kb": settings.knowledge.kb, "gate": as_dict(outcome), "risk": risk_told}
        print(json.dumps(told, indent=1))  # noqa: T201
    else:
        show(outcome)


def refit(settings: Settings, file: Path) -> Outcome:
    """What `handrail tune` does about the gate: fitted to labelled questions, kept only where it wins."""
    outcome = asyncio.run(_fitted(settings, file, Making(MADE, False, Bounds()), None))
    _put(settings, outcome)
    return outcome


@dataclass(frozen=True, slots=True)
class Making:
    """How questions are made where there is no file of them."""

    count: int
    by_llm: bool
    bounds: Bounds
    """What the LLM may take for all of them."""


async def _fitted(settings: Settings, file: Path | None, making: Making, risk: float | None) -> Outcome:
    """Every question through retrieval, and what the gate makes of them."""
    from handrail.assembly import build_parts, kb_folder
    from handrail.assembly.fitted import FITTED
    from handrail.calibrate.log import ObservationLog
    from handrail.calibrate.observe import Observer
    from handrail.calibrate.rows import read_rows
    from handrail.calibrate.service import recalibrate
    from handrail.errors import KnowledgeError

    kb = settings.knowledge.kb
    labelled = read_rows(file) if file is not None else []
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        observer = Observer(parts, settings)
        if observer.unread is not None:
            raise KnowledgeError(
                f"the articles of {kb!r} are in a language ({observer.unread}) that {settings.models.embedder} doesn't "
                "read, and the gate for such articles can't be fitted: the one that ships stays in use"
            )
        log = ObservationLog(kb_folder(settings, kb) / FITTED / "observed.jsonl", observer.made_with)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=notes) as progress:
            asked = labelled or await _made(settings, parts, observer, making, progress)
            judged = [item for item in dict.fromkeys(asked) if observer.judges(item)]
            _say_left_out(len(set(asked)) - len(judged), len(judged))
            task = progress.add_task("asking", total=len(judged))
            rows = await log.observe(judged, observer.observe, lambda: progress.advance(task))
        on = f"{kb}: {file.name if file is not None else 'questions generated from its articles'}"
        return recalibrate(
            rows, observer.gate, labelled=file is not None, index=parts.store.generation, on=on, risk=risk
        )
    finally:
        parts.close()


def _say_left_out(count: int, others: int) -> None:
    """Raises KnowledgeError where no others are left."""
    from handrail.errors import KnowledgeError

    if not others:
        raise KnowledgeError(
            "every question is in another language than the articles, and the gate for those can't be fitted"
        )
    if count:
        notes.print(f"Skipped {count} questions in another language than the articles: a separate gate judges those.")


async def _made(
    settings: Settings, parts: Parts, observer: Observer, making: Making, progress: Progress
) -> Sequence[Asked]:
    """Templates make what the LLM did not get to, so that there are always enough to say something."""
    from handrail.calibrate.questions import made

    written = await _written(settings, parts, observer, making, progress) if making.by_llm else []
    if len(written) >= making.count // 2:
        return written
    if making.by_llm:
        notes.print(f"The model wrote {len(written)} of {making.count} questions. Templates fill in the rest.")
    return [*written, *made(parts.snapshot, _strangers(), making.count - len(written))]


async def _written(
    settings: Settings, parts: Parts, observer: Observer, making: Making, progress: Progress
) -> Sequence[Asked]:
    from handrail.assembly import build_prompts, kb_folder
    from handrail.assembly.fitted import FITTED
    from handrail.calibrate.written import Writer
    from handrail.llm import connect
    from handrail.llm.meter import metering

    models = connect(settings.llm)
    file = kb_folder(settings, settings.knowledge.kb) / FITTED / "questions.jsonl"
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
    from handrail.cli.ingest import sample_folder

    return sorted(path.stem.replace("-", " ") for path in sample_folder().rglob("*.md"))


def _put(settings: Settings, outcome: Outcome) -> None:
    """In force; the gate that ships takes the place of an earlier fit where nothing new was fitted."""
    from handrail.assembly.fitted import gate_file

    path = gate_file(settings, GATE)
    if not outcome.adjusted and outcome.bound is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".part")
    scratch.write_text(named(outcome.gate, settings).model_dump_json(indent=1) + "\n", encoding="utf-8")
    scratch.replace(path)


def named(gate: Calibration, settings: Settings) -> Calibration:
    """`gate` with the models whose scores it was fitted to: those in use, whichever the gate that ships is for."""
    from handrail.assembly.models import readers_of

    models, fitted = settings.models, readers_of(settings)
    reader = fitted.digest if fitted is not None else ""
    return gate.model_copy(update={"embedder": models.embedder, "reranker": models.reranker, "reader": reader})


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """What became of the gate and why, before and after."""
    return {
        "how": "adjusted" if outcome.adjusted else "kept",
        "why": outcome.why,
        "n": outcome.n,
        "before": asdict(outcome.before),
        "after": asdict(outcome.after),
        "threshold": outcome.gate.threshold,
        "closest": outcome.gate.closest,
    }


def show(outcome: Outcome) -> None:
    results.print(f"{'adjusted' if outcome.adjusted else 'default kept'}: {outcome.why}", soft_wrap=True)
    for name, found in (("before", outcome.before), ("after", outcome.after)):
        area = f"{found.auc:.3f}" if found.auc is not None else "-"
        error = f"ECE {found.ece:.3f} (by chance {found.ece_by_chance:.3f})"
        results.print(f"  {name:6}  AUC {area}  {error}  log loss {found.loss:.3f}")
    gate, bound = outcome.gate, outcome.bound
    results.print(f"  answered from {gate.threshold:.3f}, shown as closest from {gate.closest:.3f}")
    if bound is not None:
        results.print(
            f"risk: at most {bound.bound:.3f} of questions answered wrongly (asked for {bound.risk:g}, n = {bound.n}, "
            f"expected over questions like these); observed {bound.observed:.3f}"
        )
        results.print(
            f"  price: {bound.refused:.0%} of all questions not answered, {bound.refused_right:.0%} of those that "
            "would have been answered rightly"
        )
