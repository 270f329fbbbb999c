"""`handrail experiment run`: both sides over the same rows in turn, compared, and kept as a run record."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from eval import command, record
from eval.compare import NotComparable, compare
from eval.evaluators.answers import LOCAL
from eval.experiment.sides import Side, differing, key
from eval.experiment.verdict import MARGIN, Verdict, deciding, figures, overall, verdict
from eval.measures import measures
from eval.metrics.paired import Paired
from eval.record import RecordError, Run, Status, new_run_id
from eval.runner import Evaluation
from eval.selection import Source
from eval.spending import NOTHING, Spending, Spent

COMMAND = "experiment"


@dataclass(frozen=True, slots=True)
class Options:
    kind: str
    """Which of `handrail eval …` measures the rows."""
    source: Source
    limit: int | None = None
    runs: Path | None = None


@dataclass(slots=True)
class Found:
    kind: str
    sides: tuple[Side, Side]
    runs: tuple[Run, Run]
    figures: dict[str, Paired] = field(default_factory=dict)
    decides: tuple[str, ...] = ()
    verdict: Verdict = Verdict.CANT_TELL
    status: Status = Status.INTERRUPTED
    id: str | None = None
    """Of its run record; None where nothing was measured."""
    stopped: str | None = None
    """Why the spending ended it."""
    spent: Spent = NOTHING
    """By this call."""
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return sum("error" in row or "judge_error" in row for run in self.runs for row in run.evaluation.rows)


def run(both: tuple[Side, Side], options: Options, spending: Spending, notes: Console) -> Found:
    """What is done of just this is not asked again. Raises HandrailError where a side can't be measured."""
    folder = options.runs or command.runs_folder(both[0].settings)
    asked = command.Options(
        options.source,
        options.limit,
        runs=folder,
        reuse=True,
        spending=spending,
        judging=spending,
        about={COMMAND: {"key": key(*both)}},
    )
    a, b = command.together(options.kind, [side.settings for side in both], asked, notes)
    found = Found(options.kind, both, (a, b), stopped=spending.stopped, spent=spending.spent)
    found.notes = list(dict.fromkeys(note for run in (a, b) for note in run.evaluation.notes))
    if not (a.evaluation.rows and b.evaluation.rows):
        return found
    try:
        compared = compare(record.record(a), record.record(b), shared=True)
    except NotComparable as error:
        found.notes.append(str(error))
    else:
        found.figures = figures(compared, a.evaluation.rows, b.evaluation.rows)
        judged = a.evaluation.metrics.get("judge") not in (None, LOCAL)
        found.decides = deciding(options.kind, judged)
        found.verdict = overall(found.decides, found.figures)
    if a.status is b.status is Status.FINISHED:
        found.status = Status.FINISHED
    found.id = _kept(found, folder)
    return found


def _kept(found: Found, folder: Path) -> str:
    """The id of its run record; one of the same two runs is written anew."""
    a, b = found.runs
    before = _before(folder, a.id, b.id)
    now = datetime.now(UTC)
    run_id = before or new_run_id(COMMAND, now, secrets.token_hex(3))
    written = Run(
        id=run_id,
        command=COMMAND,
        started=now,
        seconds=a.seconds + b.seconds,
        file=a.file,
        sha256=a.sha256,
        limit=a.limit,
        bad=a.bad,
        provenance={**a.provenance, COMMAND: _about(found)},
        evaluation=Evaluation(
            metrics={"n": max((value.n for value in found.figures.values()), default=0), "figures": told(found)},
            rows=list(_rows(found)),
            interrupted=found.status is not Status.FINISHED,
            notes=found.notes,
        ),
        status=found.status,
        spent=a.spent + b.spent,
        judging=a.judging + b.judging,
    )
    record.write(written, folder)
    return run_id


def _before(folder: Path, a: str, b: str) -> str | None:
    for held in record.records(folder):
        if isinstance(held, RecordError) or held["command"] != COMMAND:
            continue
        if (held[COMMAND]["a"]["run"], held[COMMAND]["b"]["run"]) == (a, b):
            return str(held["run_id"])
    return None


def _about(found: Found) -> dict[str, Any]:
    one, other = found.sides
    return {
        "key": key(one, other),
        "kind": found.kind,
        "verdict": found.verdict.value,
        "margin": MARGIN,
        "decides": list(found.decides),
        "model": one.settings.llm.model if one.settings.llm.configured else None,
        "settings_differ": sorted(differing(one, other)),
        **{letter: about_side(found, number) for number, letter in enumerate("ab")},
    }


def about_side(found: Found, number: int) -> dict[str, Any]:
    side, run = found.sides[number], found.runs[number]
    return {
        "run": run.id,
        "set": list(side.given.values),
        "from": side.given.prompts,
        "prompts": dict(side.prompts),
        "rows": len(run.evaluation.rows),
        "spent": asdict(run.spent),
        "judging": asdict(run.judging),
        "seconds": round(run.seconds, 1),
    }


def told(found: Found) -> dict[str, dict[str, Any]]:
    """Every figure with its verdict; those that decide come first."""
    names = [*(name for name in found.decides if name in found.figures), *found.figures]
    return {
        name: {
            "n": found.figures[name].n,
            "a": found.figures[name].a,
            "b": found.figures[name].b,
            "difference": found.figures[name].difference,
            "interval": found.figures[name].interval,
            "p": found.figures[name].p,
            "gained": found.figures[name].gained,
            "lost": found.figures[name].lost,
            "verdict": verdict(name, found.figures[name]).value,
            "decides": name in found.decides,
        }
        for name in dict.fromkeys(names)
    }


def _rows(found: Found) -> Iterator[dict[str, Any]]:
    """Of rows that both have: the figures that decide, on either side."""
    a, b = ({row["line"]: row for row in run.evaluation.rows} for run in found.runs)
    for line in (line for line in a if line in b):
        one, other = (measures(found.kind, side[line]) for side in (a, b))
        values = {
            f"{n} {letter}": held[n] for n in found.decides for letter, held in (("A", one), ("B", other)) if n in held
        }
        yield {"id": a[line]["id"], "line": line, **values}
