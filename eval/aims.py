"""`handrail eval aims`: every figure the product aims at, measured at one revision, in one table."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator
from rich.console import Console

from eval import command
from eval.benchmark import apart
from eval.declared import Strict, declared
from eval.metrics.bootstrap import Interval
from eval.provenance import revision
from eval.report import flat
from eval.runner import Evaluation
from eval.selection import Source, index, on
from handrail.cli.ingest import sample_folder
from handrail.errors import PermanentError
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from handrail.settings.paths import SAMPLE_KB

AIMS = command.HERE / "aims.toml"
POOLED = ("routing", "refusal")
"""Commands whose stored rows say all that their figures need."""


class AimsError(PermanentError):
    """`aims.toml`, or what was asked of it, is wrong; the message says where."""


class Wanted(Strict):
    """One figure; without a bound it is only reported."""

    at_least: float | None = None
    at_most: float | None = None

    def met(self, value: float | None) -> bool | None:
        """None where nothing is aimed at, or nothing could be measured."""
        if value is None or (self.at_least is None and self.at_most is None):
            return None
        low = self.at_least is None or value >= self.at_least
        return low and (self.at_most is None or value <= self.at_most)

    def __str__(self) -> str:
        bounds = ((">=", self.at_least), ("<=", self.at_most))
        return ", ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)


class Aim(Strict):
    name: str
    command: str
    file: Path | None = None
    companies: Path | None = None
    corpus: Path | None = None
    dataset: str | None = None
    together: tuple[str, ...] = ()
    """Aims whose rows are pooled; nothing is measured anew for them."""
    figures: Annotated[dict[str, Wanted], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> Aim:
        if self.command not in command.DATASETS:
            raise ValueError(f"no command {self.command!r}; there are: {', '.join(command.DATASETS)}")
        if self.together and self.command not in POOLED:
            raise ValueError(f"rows of {self.command} cannot be pooled, only those of {' and '.join(POOLED)}")
        if not self.together and self.file is None and self.dataset is None:
            raise ValueError("says neither file nor dataset nor together")
        return self


class Aims(Strict):
    aim: list[Aim]

    @model_validator(mode="after")
    def _pooled_are_known(self) -> Aims:
        known: dict[str, str] = {}
        for aim in self.aim:
            for name in aim.together:
                if known.get(name) != aim.command:
                    raise ValueError(f"{aim.name}: {name!r} is no earlier aim of the same command")
            known[aim.name] = aim.command
        return self


@dataclass(frozen=True, slots=True)
class Line:
    """One figure of one aim."""

    aim: str
    figure: str
    value: float | None
    interval: Interval | None
    n: int | None
    """Rows or timings behind it."""
    wanted: Wanted
    met: bool | None
    runs: tuple[str, ...]


@dataclass(slots=True)
class Standing:
    lines: list[Line] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Aims that were not measured, and why."""
    revision: str | None = None
    dirty: bool | None = None
    interrupted: bool = False

    @property
    def missed(self) -> list[Line]:
        return [line for line in self.lines if line.met is False]


@dataclass(frozen=True, slots=True)
class Options:
    aims: Path = AIMS
    only: str | None = None
    """Only aims whose names hold this, and those they pool."""
    data: Mapping[str, Path] = field(default_factory=dict)
    """Local copies of datasets by name; one name may begin those of several."""
    index: Path | None = None
    """A data folder to index in and keep; by default a temporary one."""
    runs: Path | None = None
    fresh: bool = False
    """Measure what a finished run of just this says already, too."""


def load_aims(path: Path, only: str | None = None) -> Aims:
    """Raises AimsError naming what is wrong."""
    aims = declared(path, Aims, AimsError)
    if only is None:
        return aims
    chosen = [aim for aim in aims.aim if only.lower() in aim.name.lower()]
    if not chosen:
        raise AimsError(
            f"{path} has no aim with {only!r} in its name; there are: {'; '.join(a.name for a in aims.aim)}"
        )
    names = {name for aim in chosen for name in (aim.name, *aim.together)}
    return Aims(aim=[aim for aim in aims.aim if aim.name in names])


def stand(settings: Settings, options: Options, notes: Console) -> Standing:
    """Measure one aim after the other without an LLM; Ctrl+C keeps those that are done.

    Raises HandrailError where an aim cannot be measured for another reason than articles that do not ship.
    """
    aims = load_aims(options.aims, options.only)
    for aim in aims.aim:
        command.evaluator(aim.command)
    options = replace(options, runs=options.runs or command.runs_folder(settings))
    standing = Standing(**revision(command.HERE.parent))
    if options.index is not None:
        _measure(aims, apart(settings, options.index), options, notes, standing)
        return standing
    with tempfile.TemporaryDirectory(prefix="handrail-aims-", ignore_cleanup_errors=True) as scratch:
        _measure(aims, apart(settings, Path(scratch)), options, notes, standing)
    return standing


def _measure(aims: Aims, settings: Settings, options: Options, notes: Console, standing: Standing) -> None:
    done: dict[str, Evaluation] = {}
    runs: dict[str, tuple[str, ...]] = {}
    if any(aim.corpus is None for aim in aims.aim):
        sample = Folder(sample_folder(), settings.knowledge.url_base, settings.knowledge.max_article_bytes)
        index(on(settings, SAMPLE_KB), sample, notes)
    for number, aim in enumerate(aims.aim, 1):
        notes.print(f"[bold]{number} of {len(aims.aim)}[/] {aim.name}", highlight=False)
        if aim.together:
            absent = [name for name in aim.together if name not in done]
            if absent:
                standing.left_out[aim.name] = f"without {', '.join(absent)}"
                continue
            rows = [row for name in aim.together for row in done[name].rows]
            done[aim.name] = command.evaluator(aim.command).together(rows)
            runs[aim.name] = tuple(run for name in aim.together for run in runs[name])
        else:
            data = copy_of(aim.dataset, options.data)
            if aim.dataset is not None and data is None:
                standing.left_out[aim.name] = f"its articles do not ship: --data {aim.dataset}=PATH"
                continue
            run = command.measured(aim.command, settings, _rows(aim, data, options), notes)
            done[aim.name], runs[aim.name] = run.evaluation, (run.id,)
            if run.evaluation.interrupted:
                standing.interrupted = True
                return
        standing.lines += lines(aim, done[aim.name], runs[aim.name])


def _rows(aim: Aim, data: Path | None, options: Options) -> command.Options:
    beside = options.aims.parent
    file, companies, corpus = (path and beside / path for path in (aim.file, aim.companies, aim.corpus))
    source = Source(file=file, dataset=aim.dataset, data=data, corpus=corpus, companies=companies)
    return command.Options(source, runs=options.runs, reuse=not options.fresh)


def copy_of(dataset: str | None, data: Mapping[str, Path]) -> Path | None:
    """`--data wixqa=…` serves `wixqa-part-expertwritten`, too; the longest name that fits counts."""
    fitting = [name for name in data if dataset is not None and dataset.startswith(name)]
    return data[max(fitting, key=len)] if fitting else None


def lines(aim: Aim, found: Evaluation, runs: Sequence[str]) -> Iterator[Line]:
    """Raises AimsError for a figure that the command does not have."""
    known = dict(flat({**found.details, **found.metrics}))
    for name, wanted in aim.figures.items():
        if name not in known:
            raise AimsError(f"{aim.name}: `handrail eval {aim.command}` has no figure {name!r}")
        value = known[name]
        n, met = rows_behind(name, known), wanted.met(value)
        yield Line(aim.name, name, value, found.intervals.get(name), n, wanted, met, tuple(runs))


def rows_behind(figure: str, known: Mapping[str, Any]) -> int | None:
    """The figure's own count where it has one, else the nearest: of its group, or of those around it."""
    own = known.get(f"{figure}_n")
    if own is not None:
        return int(own)
    parts = figure.split(".")[:-1]
    for depth in range(len(parts), -1, -1):
        for name in ("support", "n", "n_turns"):
            count = known.get(".".join([*parts[:depth], name]))
            if count is not None:
                return int(count)
    return None


def as_json(standing: Standing) -> dict[str, Any]:
    return {
        "revision": standing.revision,
        "dirty": standing.dirty,
        "interrupted": standing.interrupted,
        "left_out": standing.left_out,
        "figures": [{**asdict(line), "wanted": line.wanted.model_dump(exclude_none=True)} for line in standing.lines],
    }


def as_markdown(standing: Standing) -> str:
    at = (standing.revision or "no git")[:10] + (", with uncommitted changes" if standing.dirty else "")
    said = [f"Where the aims stand at revision {at}.", ""]
    said += ["| aim | figure | value | 95 % interval | n | wanted | | run |", "|---|---|---:|---|---:|---|---|---|"]
    for line in standing.lines:
        bounds = f"{line.interval[0]:.3f} to {line.interval[1]:.3f}" if line.interval else ""
        verdict = {True: "met", False: "**missed**", None: ""}[line.met]
        run = line.runs[0] if len(line.runs) == 1 else "those above"
        value = (
            "not measured" if line.value is None else f"{line.value:.3f}" if line.value < 10 else f"{line.value:.0f}"
        )
        said.append(
            f"| {line.aim} | {line.figure} | {value} | {bounds} | {line.n or ''} | {line.wanted} | {verdict} | {run} |"
        )
    aimed = [line for line in standing.lines if line.met is not None]
    said += ["", f"{len(aimed) - len(standing.missed)} of {len(aimed)} figures with an aim are met."]
    said += [f"not measured: {name}: {why}" for name, why in standing.left_out.items()]
    return "\n".join(said)
