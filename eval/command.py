"""One `handrail eval` command from its file to its exit status."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.markup import escape

from eval import record, report, resume
from eval.datasets import Dataset, Loaded
from eval.datasets.answerable import ANSWERABLE
from eval.datasets.answers import ANSWERS
from eval.datasets.claims import CLAIMS
from eval.datasets.conversation import CONVERSATION
from eval.datasets.guard import GUARD
from eval.datasets.injection import INJECTION
from eval.datasets.redaction import REDACTION
from eval.datasets.refusal import REFUSAL
from eval.datasets.retrieval import RETRIEVAL
from eval.datasets.routing import ROUTING
from eval.datasets.talks import TALK
from eval.journal import Journal
from eval.provenance import provenance
from eval.record import RecordError, Run, Status, new_run_id, write
from eval.runner import Bars, Done, Evaluation, Job, progress_on
from eval.selection import Selected, Source, select
from eval.spending import Spending
from eval.spending import spent as spent_by
from eval.talks import selecting
from eval.turns import Order, Turns
from eval.waiting import hold_index, when_free
from handrail.errors import MissingExtra
from handrail.llm.meter import metering
from handrail.settings import Settings, load_settings

HERE = Path(__file__).parent
INTERRUPTED = 130


def runs_folder(settings: Settings) -> Path:
    """Where run records are kept: beside the code in a clone, in the data folder where Handrail is installed."""
    clone = (HERE.parent / "pyproject.toml").is_file()
    return HERE / "runs" if clone else settings.storage.data_dir / "eval" / "runs"


class Evaluator(Protocol):
    """A module of `eval.evaluators`."""

    RESULT: Any

    async def measure(self, job: Job[Any]) -> Done[Any, Any]: ...
    def score(self, done: Done[Any, Any]) -> Evaluation: ...


@dataclass(frozen=True, slots=True)
class Options:
    source: Source = field(default_factory=Source)
    limit: int | None = None
    as_json: bool = False
    runs: Path | None = None
    resume: str | None = None
    """The id of an interrupted run to go on with."""
    reuse: bool = False
    """Take a finished run of just this instead of measuring anew, and go on with an interrupted one."""
    spending: Spending | None = None
    """What measuring rows may spend on language models; rows in which they fail are then tried again next time."""
    judging: Spending | None = None
    """What rating rows may spend."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Recorded with the run, and part of what it is: only runs of the same are gone on with."""


DATASETS: dict[str, Dataset[Any]] = {
    "routing": ROUTING,
    "retrieval": RETRIEVAL,
    "refusal": REFUSAL,
    "answers": ANSWERS,
    "injection": INJECTION,
    "conversation": CONVERSATION,
    "latency": RETRIEVAL,
    "latency-llm": RETRIEVAL,
    "claims": CLAIMS,
    "redaction": REDACTION,
    "guard": GUARD,
    "talks": TALK,
    "answerable": ANSWERABLE,
}
"""The kind of file each command reads; its evaluator is the module of the same name, but for those in `MODULES`."""
MODULES = {"claims": "claim_pairs", "latency-llm": "latency_llm"}
SCORING = {"answers": ("rouge_score", "sacrebleu")}
"""Libraries that an evaluator loads late, since that takes seconds."""
SELECTING = {"talks": selecting.select}
"""Commands whose rows are of several knowledge bases at once."""


def evaluator(command: str) -> Any:
    """Its module. Raises MissingExtra where it lacks a library, so before any work if called first."""
    try:
        module = importlib.import_module(f"eval.evaluators.{MODULES.get(command, command)}")
        for name in SCORING.get(command, ()):
            if importlib.util.find_spec(name) is None:
                raise ModuleNotFoundError(name=name)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`handrail eval {command}` ({error.name})", "eval") from None
    return module


def run(command: str, settings: Settings, options: Options, out: Callable[[str], None], notes: Console) -> int:
    """Measure, write the run record, print. The exit status: 0, 1 when rows were not usable, 130 when interrupted.

    Raises HandrailError when there is nothing to measure: an unreadable file, no index, no models, or a run to resume
    that is not the same.
    """
    done = measured(command, settings, options, notes)
    show(done, options, out, notes)
    return status(done)


def measured(command: str, settings: Settings, options: Options, notes: Console) -> Run:
    """Measure and write the run record. Raises HandrailError as `run` does."""
    (run,) = together(command, [settings], options, notes)
    return run


def together(command: str, sides: Sequence[Settings], options: Options, notes: Console) -> list[Run]:
    """The same for one or two `sides` over the same rows, on the same articles; two are asked row by row in turn."""
    evaluator(command)
    folder = options.runs or runs_folder(sides[0])
    choose = SELECTING.get(command, select)
    chosen = [choose(command, DATASETS[command], settings, options.source, options.limit, notes) for settings in sides]
    loaded = chosen[0].loaded
    for bad in loaded.bad:
        notes.print(f"[red]not used[/] {escape(f'{loaded.path} line {bad.line}: {bad.why}')}", soft_wrap=True)
    for note in loaded.notes:
        notes.print(f"[yellow]note[/]: {escape(f'{loaded.path} {note}')}", soft_wrap=True)
    with ExitStack() as stack:
        begun = [_begun(command, selected, options, folder, notes, stack) for selected in chosen]
        left = [pair for pair in zip(begun, chosen, strict=True) if pair[0].status is Status.RUNNING]
        ended = iter(_sit(left, options, folder, notes, stack) if left else ())
        return [next(ended) if run.status is Status.RUNNING else run for run in begun]


def _begun(command: str, selected: Selected, options: Options, folder: Path, notes: Console, stack: ExitStack) -> Run:
    """A run that is ready to go on, or a finished one of just this where that will do."""
    settings, loaded = selected.settings, selected.loaded
    if selected.url is None:
        stack.enter_context(when_free(lambda: hold_index(settings), notes))
    known = {**provenance(settings, HERE.parent, selected.url), **selected.provenance, **options.about}
    if options.reuse:
        identity = resume.identity(command, loaded.sha256, options.limit, known)
        held = resume.finished(folder, identity, known)
        if held is not None:
            notes.print(f"[dim]measured before: run {held['run_id']}[/]", soft_wrap=True)
            return record.run_of(held)
    opened = _opened(command, loaded, known, options, folder, notes)
    stack.callback(record.unlock, record.lock(folder, opened.id))
    write(opened, folder)
    stack.callback(record.forget_empty, folder, opened.id)
    return opened


def _opened(
    command: str, loaded: Loaded[Any], known: dict[str, Any], options: Options, folder: Path, notes: Console
) -> Run:
    """A new run, or the next sitting of an interrupted one."""
    now = resume.identity(command, loaded.sha256, options.limit, known)
    begun = datetime.now(UTC)
    fresh = Run(
        id=new_run_id(command, begun, secrets.token_hex(3)),
        command=command,
        started=begun,
        seconds=0.0,
        file=loaded.path,
        sha256=loaded.sha256,
        limit=options.limit,
        bad=loaded.bad,
        provenance=known,
        evaluation=Evaluation(metrics={}),
        status=Status.RUNNING,
    )
    if options.resume is None:
        for run_id, count in resume.unfinished(folder, now, known):
            if options.reuse and hasattr(evaluator(command), "measure"):
                return _opened(command, loaded, known, replace(options, resume=run_id), folder, notes)
            notes.print(
                f"[yellow]unfinished[/]: the same run was interrupted after {count} of {len(loaded.cases)} rows; "
                f"--resume {run_id} goes on with it",
                soft_wrap=True,
            )
            break
        if options.judging is not None:
            before = resume.rows_before(folder, now, known)
            if before is not None:
                shutil.copyfile(before, record.rows_path(folder, fresh.id))
        return fresh
    if not hasattr(evaluator(command), "measure"):
        raise RecordError(f"`handrail eval {command}` cannot be resumed: its timings belong together")
    held = record.read(folder, options.resume)
    resume.check(held, command, now, known)
    return replace(
        fresh,
        id=held["run_id"],
        started=resume.started(held),
        seconds=held.get("seconds", 0.0),
        sittings=held.get("sittings", 1) + 1,
        judging=record.spent_in(held, "judge"),
    )


def _sit(
    begun: Sequence[tuple[Run, Selected]], options: Options, folder: Path, notes: Console, stack: ExitStack
) -> list[Run]:
    module, start = evaluator(begun[0][0].command), time.monotonic()
    order = Order()
    with progress_on(notes) as progress:
        jobs = []
        for side, (opened, selected) in enumerate(begun):
            job = Job(
                selected.settings,
                selected.loaded.cases,
                Bars(progress, of=f"{'AB'[side]}: " if len(begun) > 1 else ""),
                options.limit,
                selected.companies,
                selected.bases,
                selected.url,
                selected.alone,
                spending=options.spending,
                judging=options.judging,
                turns=Turns(order, side) if len(begun) > 1 else None,
            )
            if hasattr(module, "measure") and not selected.sealed:
                journal: Journal[Any] = Journal(record.rows_path(folder, opened.id), module.RESULT)
                if journal.entries:
                    notes.print(f"{len(journal.entries)} rows are kept from before")
                job = replace(job, journal=stack.enter_context(journal))
            jobs.append(job)
        if not hasattr(module, "measure"):
            done, found = [Done[Any, Any]()], [asyncio.run(module.evaluate(jobs[0]))]
        else:
            done = asyncio.run(_all(module, jobs))
            found = [module.score(one) for one in done]
    seconds = time.monotonic() - start
    ended = []
    for (opened, selected), one, said in zip(begun, done, found, strict=True):
        run = replace(
            opened,
            # Of sides that wait for each other, only the time of their own rows means something.
            # Rounded as it is recorded, so that a run read again says the same.
            seconds=round(one.seconds if options.about else opened.seconds + seconds, 2),
            evaluation=counted(said) if selected.sealed else said,
            spent=one.spent,
            judging=opened.judging + one.judging,
        )
        ended.append(_ended(run, selected, options, folder, notes))
    return ended


async def _all(module: Any, jobs: Sequence[Job[Any]]) -> list[Done[Any, Any]]:
    """Every job at once; one that breaks off ends the others. Ctrl+C ends all of them early."""
    tasks = [asyncio.create_task(asked(module, job)) for job in jobs]
    with suppress(asyncio.CancelledError):
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    broken = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    if broken:
        raise broken[0]
    return [task.result() for task in tasks]


def _ended(run: Run, selected: Selected, options: Options, folder: Path, notes: Console) -> Run:
    found = run.evaluation
    if run.sittings > 1:
        found.notes.append(f"measured in {run.sittings} sittings: durations of one may not be those of another")
    failed = found.interrupted or _to_repeat(found, options)
    run = replace(run, status=Status.INTERRUPTED if failed else Status.FINISHED)
    if options.spending is not None and not found.rows:
        return run
    found.notes.extend(selected.caveats)
    written = write(run, folder)
    notes.print(f"[dim]run record: {escape(str(written))}[/]", soft_wrap=True)
    resumed = hasattr(evaluator(run.command), "measure") and not selected.sealed and not options.about
    if run.status is Status.INTERRUPTED and resumed:
        notes.print(f"go on with: handrail eval {run.command} --resume {run.id} and the same options", soft_wrap=True)
    return run


def _to_repeat(found: Evaluation, options: Options) -> bool:
    """What failed has cost little; a run that counts as finished would be measured anew as a whole."""
    failed = any("error" in row or "judge_error" in row for row in found.rows)
    return failed and (options.spending is not None or options.judging is not None)


async def asked(module: Any, job: Job[Any]) -> Done[Any, Any]:
    """Measured, and judged where the evaluator has a judge to ask; its ratings are kept apart from the rows."""
    done: Done[Any, Any] = await module.measure(job)
    if not hasattr(module, "judge") or done.interrupted:
        return done
    with metering() as meter:
        rated: Done[Any, Any] = await module.judge(job, done)
    return replace(rated, judging=spent_by(meter))


def counted(found: Evaluation) -> Evaluation:
    """Of rows nobody may look at: the figures, and which rows failed."""
    rows = [{"id": row["id"], "error": "failed"} for row in found.rows if "error" in row]
    return replace(found, rows=rows, notes=[*found.notes, "sealed rows: only counts are kept of them"])


def judged(module: Any, done: Done[Any, Any]) -> Done[Any, Any]:
    """The ratings of stored rows; only what the judge of the settings has not rated before costs anything."""
    if not hasattr(module, "judge"):
        return done
    with progress_on(Console(stderr=True)) as progress:
        found: Done[Any, Any] = asyncio.run(module.judge(Job(load_settings(), [], Bars(progress)), done))
    return found


def show(run: Run, options: Options, out: Callable[[str], None], notes: Console) -> None:
    if options.as_json:
        notes.print(report.as_markdown(run), markup=False, emoji=False, soft_wrap=True)
    out(report.as_json(run) if options.as_json else report.as_markdown(run))
    found = run.evaluation
    failed = [row for row in found.rows if "error" in row]
    for row in failed[:10]:
        notes.print(f"[red]failed[/] {escape(row['id'])}: {escape(row['error'])}", soft_wrap=True)
    left_out = sum("not_applicable" in row for row in found.rows)
    if left_out:
        notes.print(f"not applicable: {left_out} rows were run and not scored; each says why in the rows")
    for note in found.notes:
        notes.print(escape(note), soft_wrap=True)
    if found.interrupted:
        notes.print("[yellow]interrupted[/]: the numbers are of what was done so far")


def status(run: Run) -> int:
    if run.evaluation.interrupted:
        return INTERRUPTED
    return 1 if run.bad or any("error" in row for row in run.evaluation.rows) else 0
