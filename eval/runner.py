"""Running every case of a file, one after the other, with a bar; an interruption keeps what was done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.companies import Company
from eval.datasets import Case
from eval.journal import Entry, Journal
from eval.metrics.bootstrap import Interval
from eval.spending import NOTHING, Spending, Spent, outage, spent
from eval.turns import Turns
from handrail.errors import HandrailError
from handrail.llm.meter import metering
from handrail.settings import Settings
from handrail.text.guard import TextRefused

C = TypeVar("C", bound=Case)
R = TypeVar("R")


class Bars:
    """Bars on standard error, one per phase; `of` stands before their names."""

    def __init__(self, progress: Progress, of: str = "") -> None:
        self._progress = progress
        self._of = of

    def phase(self, name: str, total: int | None) -> Callable[[], None]:
        """A bar of its own; call what is returned once per step."""
        task = self._progress.add_task(f"{self._of}{name}", total=total)
        return lambda: self._progress.advance(task)


BAR_COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


@dataclass(frozen=True, slots=True)
class Job(Generic[C]):
    """What an evaluator is given."""

    settings: Settings
    cases: Sequence[C]
    bars: Bars
    limit: int | None = None
    """At most this many steps per phase, for evaluators that make their own."""
    companies: Mapping[str, Company] = field(default_factory=dict)
    """Those whose assistants rows may ask for, by id."""
    bases: Mapping[str, Settings] = field(default_factory=dict)
    """Settings of the help centres that rows may ask for, by the name rows use."""
    url: str | None = None
    """A server to ask instead."""
    alone: bool = False
    """Turns of conversations are asked by themselves, too."""
    journal: Journal[Any] | None = None
    """Where rows are kept as they come, with those of an earlier sitting; None keeps them in memory only."""
    spending: Spending | None = None
    """What measuring rows may spend on language models; None is no bound."""
    judging: Spending | None = None
    """The same of rating them."""
    turns: Turns | None = None
    """Whose turn it is to measure a row, where two sides measure the same rows."""

    async def each(self, phase: str, work: Callable[[C], Awaitable[R]]) -> Done[C, R]:
        """`work` on every case that no earlier sitting measured, with a bar named `phase`."""
        advance = self.bars.phase(phase, len(self.cases))
        return await run_each(self.cases, work, advance, self.journal, self.spending, self.turns)


@dataclass(slots=True)
class Evaluation:
    """What an evaluator found."""

    metrics: dict[str, Any]
    details: dict[str, Any] = field(default_factory=dict)
    """Figures beside the documented ones: curves, matrices, rates of parts."""
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    """95 % intervals of headline metrics."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """In file order; `error` where a row could not be measured, `not_applicable` where it was not scored."""
    interrupted: bool = False
    conditions: dict[str, Any] = field(default_factory=dict)
    """How the measured system differed from the settings."""
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Done(Generic[C, R]):
    measured: list[tuple[C, R]] = field(default_factory=list)
    unmeasured: list[dict[str, Any]] = field(default_factory=list)
    """Rows for the report: texts the guard refuses, which no stage ever sees, and failures."""
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)
    spent: Spent = NOTHING
    """By the rows."""
    seconds: float = 0.0
    """Of the rows alone, whenever they were measured."""
    judging: Spent = NOTHING
    """By rating them, in this sitting."""

    def rows(self, row: Callable[[C, R], dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows of the report, the unmeasured ones at the end."""
        return [
            {"id": case.id, "line": case.line, **row(case, result)} for case, result in self.measured
        ] + self.unmeasured

    def add(self, case: C, entry: Entry[R]) -> None:
        """Take over a row from a journal."""
        self.spent += entry.spent
        self.seconds += entry.seconds
        if entry.error is not None:
            self.unmeasured.append({"id": case.id, "line": case.line, "error": entry.error})
        elif entry.not_applicable is not None:
            self.unmeasured.append({"id": case.id, "line": case.line, "not_applicable": entry.not_applicable})
        elif entry.result is not None:
            self.measured.append((case, entry.result))


async def run_each(
    cases: Sequence[C],
    work: Callable[[C], Awaitable[R]],
    advance: Callable[[], None],
    journal: Journal[R] | None = None,
    spending: Spending | None = None,
    turns: Turns | None = None,
) -> Done[C, R]:
    """One at a time, so that durations mean something. Ctrl+C ends it early instead of raising.

    Rows that `journal` holds are not measured again; every new one is written there before the next begins. Once
    `spending` allows no other row, only those that are held are taken.
    """
    done: Done[C, R] = Done()
    try:
        for number, case in enumerate(cases):
            async with turns.row(number) if turns is not None else nullcontext():
                kept = journal.kept(case) if journal is not None else None
                if kept is None and spending is not None and not spending.allows():
                    done.interrupted = True
                    continue
                entry = kept if kept is not None else await _measured(case, work, spending)
                if journal is not None and kept is None:
                    journal.keep(case, entry)
                done.add(case, entry)
                advance()
    except asyncio.CancelledError:
        done.interrupted = True
    return done


async def _measured(case: C, work: Callable[[C], Awaitable[R]], spending: Spending | None) -> Entry[R]:
    start = time.perf_counter()
    with metering() as meter:
        entry = await _tried(case, work)
    row, seconds = spent(meter), time.perf_counter() - start
    if spending is not None:
        spending.add(row)
        reason = outage(row)
        if reason is not None and entry.error is None:
            return Entry(case.line, error=f"the model did not work: {reason.says}", spent=row, seconds=seconds)
    return replace(entry, spent=row, seconds=seconds)


async def _tried(case: C, work: Callable[[C], Awaitable[R]]) -> Entry[R]:
    try:
        return Entry(case.line, result=await work(case))
    except TextRefused as refusal:
        return Entry(case.line, not_applicable=f"the guard refuses it: {refusal}")
    except Exception as error:
        # A crash on one text is a finding; it must not cost the rows before and behind it.
        return Entry(case.line, error=failure(error))


def failure(error: Exception) -> str:
    """In one line; errors nobody raised on purpose are named."""
    return str(error) if isinstance(error, HandrailError) else f"{type(error).__name__}: {error}"


def progress_on(console: Any) -> Progress:
    return Progress(*BAR_COLUMNS, console=console)
