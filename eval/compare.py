"""Two runs of the same command on the same rows: what changed, and whether chance alone could have done it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from eval.measures import DECIDES, WHOLE, Row, Statistic, measures, sign
from eval.metrics.bootstrap import SEED, interval
from eval.metrics.paired import RESAMPLES, Paired, paired
from eval.record import Status
from eval.report import flat
from eval.resume import shown
from handrail.errors import PermanentError

SAME = {
    "command": ("command",),
    "file hash": ("file", "sha256"),
    "row limit": ("file", "limit"),
    "corpus": ("kb", "corpus"),
    "judge": ("metrics", "judge"),
}
"""What two comparable runs share."""

ABOUT = ("git", "code", "python", "libraries", "machine", "kb", "models", "weights", "fitted", "prompts", "settings",
         "scored_by")  # fmt: skip
"""What may differ, and is listed where it does."""

Key = int | str


class NotComparable(PermanentError):
    """Two runs whose figures do not belong side by side; the message says which part differs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    a: str
    b: str
    command: str
    metrics: dict[str, Paired]
    decided_by: str | None
    """The yes or no by which rows were gained or lost."""
    gained: list[Key] = field(default_factory=list)
    """Lines of the evaluation file, better in B."""
    lost: list[Key] = field(default_factory=list)
    differs: list[dict[str, Any]] = field(default_factory=list)
    """Parts of the provenance that are not the same."""
    only_in_one: int = 0
    """Rows that one of the two did not measure or score."""
    ids: dict[Key, str] = field(default_factory=dict)

    def verdict(self, name: str) -> str:
        """`better`, `worse`, or `no difference shown`: where the interval of the difference leaves zero out."""
        found = self.metrics[name].interval
        if found is None or found[0] <= 0 <= found[1]:
            return "no difference shown"
        return "better" if (found[0] > 0) == (sign(name) > 0) else "worse"


def compare(
    a: Mapping[str, Any], b: Mapping[str, Any], *, rows_by: str | None = None, shared: bool = False
) -> Comparison:
    """Of two records. `shared` allows interrupted runs and other limits: only rows that both have are compared.

    Raises NotComparable, naming the part that differs.
    """
    _check(a, b, shared)
    command = a["command"]
    rows_a, rows_b = _by_key(a), _by_key(b)
    both = [key for key in rows_a if key in rows_b]
    values = {key: (measures(command, rows_a[key]), measures(command, rows_b[key])) for key in both}
    names = list(dict.fromkeys(name for one, _ in values.values() for name in one))
    found: dict[str, Paired] = {}
    for name in names:
        pairs = [(one[name], other[name]) for one, other in values.values() if name in one and name in other]
        if pairs:
            found[name] = paired(*np.asarray(pairs, dtype=float).T)
    scored = [(rows_a[key], rows_b[key]) for key, (one, other) in values.items() if one and other]
    found |= {name: whole(statistic, scored) for name, statistic in WHOLE.get(command, {}).items() if scored}
    if not found:
        raise NotComparable(f"runs {a['run_id']} and {b['run_id']} share no scored row")
    by = _decider(command, found, rows_by)
    changed = (
        [(key, one[by], other[by]) for key, (one, other) in values.items() if by in one and by in other] if by else []
    )
    return Comparison(
        a=a["run_id"],
        b=b["run_id"],
        command=command,
        metrics=found,
        decided_by=by,
        gained=[key for key, one, other in changed if (other - one) * sign(by or "") > 0],
        lost=[key for key, one, other in changed if (other - one) * sign(by or "") < 0],
        differs=differs(a, b),
        only_in_one=sum(bool(one) != bool(other) for one, other in values.values())
        + len(rows_a.keys() ^ rows_b.keys()),
        ids={key: str(rows_a[key].get("id", key)) for key in both},
    )


def whole(statistic: Statistic, rows: Sequence[tuple[Row, Row]]) -> Paired:
    """A figure of the whole set, not a mean over rows: both runs are drawn together, row by row."""
    one, other = np.asarray(rows, dtype=object).T

    def apart(draw: Any) -> float:
        return statistic(other[draw]) - statistic(one[draw])

    every = np.arange(len(rows))
    a, b = statistic(one[every]), statistic(other[every])
    return Paired(len(rows), a, b, b - a, interval(len(rows), apart), 0, 0, None)


def differs(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One entry per part that is not the same: `part`, `a`, `b`."""
    one, other = (dict(flat({name: held.get(name) for name in ABOUT})) for held in (a, b))
    return [
        {"part": name, "a": one.get(name), "b": other.get(name)}
        for name in dict.fromkeys((*one, *other))
        if one.get(name) != other.get(name)
    ]


def _check(a: Mapping[str, Any], b: Mapping[str, Any], shared: bool) -> None:
    unlike = [f"{name}: {shown(_at(a, path))} in A, {shown(_at(b, path))} in B"
              for name, path in SAME.items()
              if _at(a, path) != _at(b, path) and not (shared and name == "row limit")]  # fmt: skip
    if len(unlike) == 1 and unlike[0].startswith("judge: "):
        unlike.append("`handrail eval score RUN` has the rows of one rated by the judge of the settings")
    for letter, held in (("A", a), ("B", b)):
        if held.get("status") != Status.FINISHED and not shared:
            unlike.append(f"run {letter} was interrupted: --shared compares the rows that both have")
    if unlike:
        raise NotComparable(
            f"runs {a['run_id']} (A) and {b['run_id']} (B) are not comparable:\n  " + "\n  ".join(unlike)
        )


def _at(held: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = held
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _by_key(held: Mapping[str, Any]) -> dict[Key, Mapping[str, Any]]:
    return {row.get("line", row.get("id")): row for row in held["rows"]}


def _decider(command: str, found: Mapping[str, Paired], asked: str | None) -> str | None:
    known = [name for name, value in found.items() if value.p is not None]
    if asked is not None:
        if asked not in found:
            raise NotComparable(f"no row figure {asked!r}; there are: {', '.join(found)}")
        return asked
    usual = DECIDES.get(command)
    return usual if usual in found else next(iter(known), None)


def as_json(found: Comparison) -> dict[str, Any]:
    return {
        "a": found.a,
        "b": found.b,
        "command": found.command,
        "metrics": {name: {**asdict(value), "verdict": found.verdict(name)} for name, value in found.metrics.items()},
        "decided_by": found.decided_by,
        "gained": [found.ids[key] for key in found.gained],
        "lost": [found.ids[key] for key in found.lost],
        "only_in_one": found.only_in_one,
        "differs": found.differs,
        "method": method(found),
    }


def method(found: Comparison) -> str:
    return (
        f"Differences are B minus A over the same rows; 95 % percentile bootstrap over rows ({RESAMPLES:,} draws, seed "
        f"{SEED}); p is the exact two-sided McNemar test for yes-or-no figures. {len(found.metrics)} figures are "
        "looked at and nothing is corrected for that."
    )


def as_markdown(found: Comparison, asked: Mapping[int, str], most: int = 20) -> str:
    """For people: figures, what differs between the runs, and the rows gained and lost with what they ask."""
    lines = [f"A {found.a}", f"B {found.b}", "", "| figure | n | A | B | B - A | 95 % interval | p | gained | lost | |"]
    lines.append("|---|---:|---:|---:|---:|---|---:|---:|---:|---|")
    for name, value in found.metrics.items():
        bounds = f"{value.interval[0]:+.3f} to {value.interval[1]:+.3f}" if value.interval else ""
        p = "" if value.p is None else f"{value.p:.3f}"
        lines.append(
            f"| {name} | {value.n} | {value.a:.3f} | {value.b:.3f} | {value.difference:+.3f} | {bounds} | {p} "
            f"| {value.gained} | {value.lost} | {found.verdict(name)} |"
        )
    lines += ["", method(found)]
    if found.only_in_one:
        lines.append(f"{found.only_in_one} rows were scored in one of the two only and are left out.")
    lines += ["", "What differs between the runs:" if found.differs else "Nothing else differs between the runs."]
    lines += [f"- {item['part']}: {shown(item['a'])} in A, {shown(item['b'])} in B" for item in found.differs[:most]]
    if len(found.differs) > most:
        lines.append(f"- and {len(found.differs) - most} more (--json lists them)")
    for title, keys in (("Gained", found.gained), ("Lost", found.lost)):
        lines += ["", f"{title} by {found.decided_by}: {len(keys)}"]
        lines += [f"- {found.ids[key]}: {asked.get(key, '') if isinstance(key, int) else ''}" for key in keys[:most]]
        if len(keys) > most:
            lines.append(f"- and {len(keys) - most} more (--json lists them)")
    return "\n".join(lines)
