"""`handrail eval llm`: a suite of figures with the language model of the settings, and with quotations alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator
from rich.console import Console

from eval import command
from eval.aims import copy_of, rows_behind
from eval.benchmark import local
from eval.beside import Difference, Rows, difference
from eval.declared import Strict, declared
from eval.metrics.bootstrap import Interval
from eval.record import Run
from eval.report import flat
from eval.selection import Source
from eval.spending import NOTHING, Spending, Spent
from eval.talks.selecting import TalkSource
from handrail.errors import PermanentError
from handrail.settings import Settings, alone, overlaid
from handrail.settings.paths import SAMPLE_KB
from handrail.settings.serving import ON_DISK

SUITES = command.HERE / "suites.toml"


class SuiteError(PermanentError):
    """`suites.toml`, or what was asked of it, is wrong; the message says where."""


class Figure(Strict):
    row: str | None = None
    """What a row holds of it, where differences can be taken row by row."""
    where: dict[str, str | bool] = Field(default_factory=dict)
    """Rows it is about; empty for all."""
    judged: bool = False


class Part(Strict):
    name: str
    command: str
    file: Path | None = None
    corpus: Path | None = None
    dataset: str | None = None
    figures: Annotated[dict[str, Figure], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> Part:
        if not hasattr(command.evaluator(self.command) if self.command in command.DATASETS else None, "measure"):
            raise ValueError(f"no command {self.command!r} that measures rows")
        return self


class Suite(Strict):
    name: str
    part: Annotated[list[Part], Field(min_length=1)]


class Suites(Strict):
    suite: list[Suite]


@dataclass(frozen=True, slots=True)
class Side:
    """One figure of one of the two."""

    value: float | None
    interval: Interval | None
    n: int | None


@dataclass(frozen=True, slots=True)
class Line:
    figure: str
    model: Side
    quotations: Side
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Measured:
    """One part."""

    name: str
    lines: tuple[Line, ...]
    rows: int
    """Measured with the model."""
    spent: Spent
    """By its rows and by rating them, in this call and before."""
    judging: Spent
    seconds: float
    """With the model."""
    seconds_quotations: float
    runs: tuple[str, str | None]
    failed: int
    """Rows in which the model, the judge or the product failed; asking again repeats them."""
    errors: tuple[str, ...]
    """Why, each reason once."""
    notes: tuple[str, ...]
    """What must be said with the figures."""


@dataclass(slots=True)
class Found:
    suite: str
    model: str
    judge: str | None
    parts: list[Measured] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Parts and figures that were not measured, and why."""
    cut: dict[str, str] = field(default_factory=dict)
    """Parts of which some or all rows were not measured, and why."""
    spent: Spent = NOTHING
    """By this call."""
    stopped: str | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    suite: str = "support"
    suites: Path = SUITES
    limit: int | None = None
    """At most this many rows of each file."""
    data: Mapping[str, Path] = field(default_factory=dict)
    """Local copies of datasets by name; one name may begin those of several."""
    runs: Path | None = None


def load_suite(path: Path, name: str) -> Suite:
    """Raises SuiteError naming what is wrong."""
    suites = declared(path, Suites, SuiteError)
    for suite in suites.suite:
        if suite.name == name:
            return suite
    raise SuiteError(f"{path} has no suite {name!r}; there are: {', '.join(suite.name for suite in suites.suite)}")


def sit(settings: Settings, options: Options, spending: Spending, notes: Console) -> Found:
    """Measure one part after the other; what finished or interrupted runs of the same thing hold is not paid again.

    Raises HandrailError where a part cannot be measured for another reason than articles that do not ship.
    """
    suite = load_suite(options.suites, options.suite)
    written, quoted = with_model(settings), quotations(settings)
    judge = settings.judge.model if settings.judge.configured else None
    found = Found(suite.name, settings.llm.model, judge)
    runs = options.runs or command.runs_folder(settings)
    for number, part in enumerate(suite.part, 1):
        notes.print(f"[bold]{number} of {len(suite.part)}[/] {part.name}", highlight=False)
        data = copy_of(part.dataset, options.data)
        if part.dataset is not None and data is None:
            found.left_out[part.name] = f"its articles do not ship: --data {part.dataset}=PATH"
            continue
        figures = {name: figure for name, figure in part.figures.items() if judge is not None or not figure.judged}
        absent = [name for name in part.figures if name not in figures]
        if absent:
            found.left_out[f"{part.name}: {', '.join(absent)}"] = (
                "no judge is set: judge.base_url or judge.api_key, and judge.model"
            )
        asked = command.Options(
            _source(part, data, options), options.limit, runs=runs, reuse=True, spending=spending, judging=spending
        )
        notes.print("[dim]with the model[/]")
        model = command.measured(part.command, written, asked, notes)
        _cut(part, model, spending, found)
        if found.interrupted:
            if model.evaluation.rows:
                found.parts.append(_measured(part, figures, model, None))
            break
        if not model.evaluation.rows:
            continue
        notes.print("[dim]with quotations alone[/]")
        asked = command.Options(_source(part, data, options), options.limit, runs=runs, reuse=True, judging=spending)
        beside = command.measured(part.command, quoted, asked, notes)
        _cut(part, beside, spending, found, " (quotations)")
        found.parts.append(_measured(part, figures, model, beside))
        if found.interrupted:
            break
    found.spent, found.stopped = spending.spent, spending.stopped
    return found


def with_model(settings: Settings) -> Settings:
    """Its answers written by the language model; indexes of its own, kept, without the operator's fitted gates."""
    if not settings.llm.configured:
        raise PermanentError(
            "no language model is set: OPENAI_API_KEY, or llm.base_url for a server that speaks the same protocol"
        )
    return _apart(overlaid(settings, {"generate": {"answerer": "llm"}}))


def quotations(settings: Settings) -> Settings:
    """The same without a model; the judge stays, so that both are rated alike."""
    return _apart(alone(local(settings)))


def _apart(settings: Settings) -> Settings:
    data = settings.storage.data_dir
    return overlaid(
        settings,
        {
            "storage": {"data_dir": data / "eval" / "llm", **ON_DISK},
            "knowledge": {"kb": SAMPLE_KB},
            "judge": {"cache": settings.judge.cache or data / "eval" / "judge"},
        },
    )


def _source(part: Part, data: Path | None, options: Options) -> Source:
    file, corpus = (path and options.suites.parent / path for path in (part.file, part.corpus))
    if part.command == "talks":
        return TalkSource(file=file)
    return Source(file=file, dataset=part.dataset, data=data, corpus=corpus)


def _cut(part: Part, run: Run, spending: Spending, found: Found, which: str = "") -> None:
    """Told apart: what the spending stopped, and what somebody interrupted."""
    if not run.evaluation.interrupted:
        return
    if spending.stopped is None:
        found.interrupted = True
    done = len(run.evaluation.rows)
    found.cut[part.name + which] = f"{spending.stopped or 'interrupted'}; {done or 'no'} rows are done"


def _measured(part: Part, figures: Mapping[str, Figure], model: Run, beside: Run | None) -> Measured:
    runs = [run for run in (model, beside) if run is not None]
    judging = sum((run.judging for run in runs), NOTHING)
    rows = model.evaluation.rows
    errors = [row.get("error") or row.get("judge_error") for run in runs for row in run.evaluation.rows]
    failed = [error for error in errors if error is not None]
    return Measured(
        name=part.name,
        lines=tuple(_lines(part, figures, model, beside)),
        rows=len(rows),
        spent=model.spent + judging,
        judging=judging,
        seconds=round(model.seconds, 1),
        seconds_quotations=round(beside.seconds, 1) if beside is not None else 0.0,
        runs=(model.id, beside.id if beside is not None else None),
        failed=len(failed),
        errors=tuple(dict.fromkeys(failed)),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.evaluation.notes)),
    )


def _lines(part: Part, figures: Mapping[str, Figure], model: Run, beside: Run | None) -> Iterator[Line]:
    """Raises SuiteError for a figure that the command does not have."""
    rated = [run for run in (model, beside) if run is not None and run.evaluation.metrics.get("judge") != "local"]
    for name, figure in figures.items():
        sides = [
            _side(part, name, run) if run is not None and (not figure.judged or run in rated) else None
            for run in (model, beside)
        ]
        one, other = sides[0] or Side(None, None, None), sides[1] or Side(None, None, None)
        apart = None
        if figure.row is not None and beside is not None and all(sides):
            quoted: Rows = beside.evaluation.rows
            apart = difference(part.command, figure.row, figure.where, quoted, model.evaluation.rows)
        yield Line(name, one, other, apart)


def _side(part: Part, figure: str, run: Run) -> Side:
    known = dict(flat({**run.evaluation.details, **run.evaluation.metrics}))
    if figure not in known:
        if "." not in figure:
            raise SuiteError(f"{part.name}: `handrail eval {part.command}` has no figure {figure!r}")
        return Side(None, None, None)  # a group of which there is no row
    return Side(known[figure], run.evaluation.intervals.get(figure), rows_behind(figure, known))
