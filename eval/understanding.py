"""How well messages are understood in words that no list holds: `python -m eval.understanding [--foreign none]`.

Messages are probed and classified with the sample help centre as in a turn. Speech acts, `depends` and `refuses_offer`
are read of `training/rows/acts.held-out.jsonl`, kinds of serious matters of `matters.held-out.jsonl` beside it; help in
despair and the wish for a person of `eval/datasets/crisis`, with look-alikes. Those rows were written before anything
was fitted and are not learnt from. Proportions have exact 95 % intervals, the rest percentile bootstrap intervals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import f1_score, roc_auc_score

from eval.companies import Assistant, Assistants
from eval.evaluators import question
from eval.metrics.bootstrap import Rows, interval
from handrail.settings import Settings, load_settings
from handrail.turn.replies import TELLS
from handrail.types import Label, Understood
from handrail.understand.local import ACTS

FILES = Path(__file__).parent / "datasets" / "crisis"
ROWS = Path(__file__).parents[1] / "training" / "rows"
HELD_OUT, MATTERS = ROWS / "acts.held-out.jsonl", ROWS / "matters.held-out.jsonl"
KINDS = ("crisis", "person")
REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    text: str
    lang: str
    act: str
    """`crisis`, `person`, or `none` of what only looks like it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a kind of call comes to over its file."""

    missed: Sequence[Message]
    falsely: Sequence[Message]
    calling: int
    look_alikes: int

    @property
    def found(self) -> int:
        return self.calling - len(self.missed)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A held-out row."""

    text: str
    lang: str
    act: str
    depends: bool
    refuses_offer: bool


@dataclass(frozen=True, slots=True)
class MatterRow:
    """A held-out row."""

    text: str
    lang: str
    matter: str


@dataclass(frozen=True, slots=True)
class Matters:
    """Held-out rows, and of each what it is likeliest about and how likely that is."""

    rows: Sequence[MatterRow]
    taken: Sequence[str]
    shares: Sequence[float]

    @property
    def macro_f1(self) -> float:
        return _macro_f1(np.array([row.matter for row in self.rows]), np.array(self.taken))


@dataclass(frozen=True, slots=True)
class Acts:
    """Held-out rows and how each was understood."""

    rows: Sequence[Spoken]
    understood: Sequence[Understood]

    @property
    def meant(self) -> NDArray[np.str_]:
        return np.array([row.act for row in self.rows])

    @property
    def taken(self) -> NDArray[np.str_]:
        return np.array([found.act for found in self.understood])

    @property
    def macro_f1(self) -> float:
        return _macro_f1(self.meant, self.taken)


def read(kind: str) -> list[Message]:
    lines = (FILES / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Message(**json.loads(line)) for line in lines]


def held_out() -> list[Spoken]:
    return [Spoken(**json.loads(line)) for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]


def matter_rows() -> list[MatterRow]:
    return [MatterRow(**json.loads(line)) for line in MATTERS.read_text(encoding="utf-8").splitlines()]


async def measure(kind: str, assistant: Assistant) -> Measured:
    rows = read(kind)
    called = [await _is_called(kind, row, assistant) for row in rows]
    both = list(zip(rows, called, strict=True))
    return Measured(
        missed=[row for row, seen in both if row.act == kind and not seen],
        falsely=[row for row, seen in both if row.act != kind and seen],
        calling=sum(row.act == kind for row in rows),
        look_alikes=sum(row.act != kind for row in rows),
    )


async def understand(text: str, assistant: Assistant) -> Understood:
    """Raises ValueError where nothing understands messages."""
    found = (await assistant.stages.retriever.probe(text)).understood
    if found is None:
        raise ValueError("the settings have no encoder that understands messages")
    return found


async def measure_acts(assistant: Assistant) -> Acts:
    rows = held_out()
    return Acts(rows, [await understand(row.text, assistant) for row in rows])


async def measure_matters(assistant: Assistant) -> Matters:
    rows = matter_rows()
    found = [(await understand(row.text, assistant)).matters for row in rows]
    taken = [max(each, key=each.__getitem__) for each in found]
    return Matters(rows, taken, [each[matter] for each, matter in zip(found, taken, strict=True)])


async def _is_called(kind: str, row: Message, assistant: Assistant) -> bool:
    """Who asks for a person is offered one where the message is taken for a serious one, too."""
    found = await assistant.stages.understand.primary.read(question(row.text, assistant.settings))
    if kind == "crisis":
        return found.crisis
    serious = any(sense.classification.label is Label.HIGH_STAKES for sense in found.whole.senses)
    return found.wants_person or (row.act == "person" and serious)


async def pace(assistant: Assistant) -> tuple[float, float]:
    """Milliseconds that an English message takes to be probed: half of them take less, and nineteen in twenty."""
    taken = []
    for row in read("person"):
        if row.lang == "en":
            start = time.perf_counter()
            await assistant.stages.retriever.probe(row.text + " ")
            taken.append(1000 * (time.perf_counter() - start))
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 19 // 20]


def share(of: int, n: int) -> str:
    """With the exact interval (Clopper and Pearson, 1934)."""
    between = binomtest(of, n).proportion_ci(0.95)
    return f"{of} of {n} ({of / n:.3f}, {between.low:.3f} to {between.high:.3f})"


def told(kind: str, found: Measured) -> str:
    lines = [f"{kind}: {share(found.found, found.calling)} recognised; falsely "
             f"{share(len(found.falsely), found.look_alikes)} look-alikes"]  # fmt: skip
    lines += [f"  missed {row.id} {row.text}" for row in found.missed]
    return "\n".join([*lines, *(f"  falsely {row.id} {row.text}" for row in found.falsely)])


def acts_told(found: Acts) -> str:
    meant, taken = found.meant, found.taken
    right, requests = meant == taken, meant == REQUEST
    lines = [
        f"act: right {share(int(right.sum()), len(right))}; "
        + _interval("macro-F1", len(right), lambda rows: _macro_f1(meant[rows], taken[rows])),
        f"  requests taken for something else {share(int((requests & ~right).sum()), int(requests.sum()))}",
    ]
    for act, n in Counter(meant.tolist()).most_common():
        hits, said = int((right & (meant == act)).sum()), int((taken == act).sum())
        lines.append(f"  {act}: recall {share(hits, n)}; precision {share(hits, said) if said else 'none said'}")
    langs = np.array([row.lang for row in found.rows])
    by_lang = Counter(langs.tolist()).most_common()
    lines += [f"  {lang}: right {share(int(right[langs == lang].sum()), n)}" for lang, n in by_lang]
    wrong = zip(found.rows, taken.tolist(), right.tolist(), strict=True)
    return "\n".join([*lines, *(f"  {row.act} taken for {act}: {row.text}" for row, act, same in wrong if not same)])


def matters_told(found: Matters) -> str:
    meant, taken = np.array([row.matter for row in found.rows]), np.array(found.taken)
    right, said = meant == taken, np.array(found.shares) >= TELLS
    lines = [
        f"matter: right {share(int(right.sum()), len(right))}; "
        + _interval("macro-F1", len(right), lambda rows: _macro_f1(meant[rows], taken[rows])),
        f"  said {share(int(said.sum()), len(said))}; right of them {share(int(right[said].sum()), int(said.sum()))}",
    ]
    for matter, n in Counter(meant.tolist()).items():
        hits, calls = int((right & (meant == matter)).sum()), int((taken == matter).sum())
        lines.append(f"  {matter}: recall {share(hits, n)}; precision {share(hits, calls) if calls else 'none said'}")
    wrong = zip(found.rows, found.taken, found.shares, right.tolist(), strict=True)
    return "\n".join(
        [
            *lines,
            *(f"  {row.matter} taken for {of} ({how:.2f}): {row.text}" for row, of, how, same in wrong if not same),
        ]
    )


def flag_told(name: str, truth: Sequence[bool], values: Sequence[float], threshold: float) -> str:
    aims, scores = np.array(truth), np.array(values)
    above = scores >= threshold

    def auc(rows: Rows) -> float:
        return float(roc_auc_score(aims[rows], scores[rows])) if 0 < aims[rows].sum() < len(rows) else float("nan")

    return (
        f"{name}: {_interval('AUC', len(aims), auc)}; from {threshold} on "
        f"found {share(int((above & aims).sum()), int(aims.sum()))}, "
        f"falsely {share(int((above & ~aims).sum()), int((~aims).sum()))}"
    )


def _interval(name: str, n: int, statistic: Callable[[Rows], float]) -> str:
    low, high = interval(n, statistic) or (float("nan"), float("nan"))
    return f"{name} {statistic(np.arange(n)):.3f} ({low:.3f} to {high:.3f})"


def _macro_f1(meant: NDArray[np.str_], taken: NDArray[np.str_]) -> float:
    return float(f1_score(meant, taken, average="macro", zero_division=0))


async def run(settings: Settings) -> None:
    assistants = Assistants(settings)
    try:
        assistant = await assistants.of(None)
        found = await measure_acts(assistant)
        print(acts_told(found), flush=True)
        depends = [each.depends for each in found.understood]
        print(flag_told("depends", [row.depends for row in found.rows], depends, ACTS))
        refuses = [each.refuses_offer for each in found.understood]
        print(flag_told("refuses_offer", [row.refuses_offer for row in found.rows], refuses, ACTS))
        print(matters_told(await measure_matters(assistant)), flush=True)
        for kind in KINDS:
            print(told(kind, await measure(kind, assistant)), flush=True)
        half, most = await pace(assistant)
        print(f"an English message is probed in {half:.1f} ms (half), {most:.1f} ms (19 of 20)")
    finally:
        assistants.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--foreign", help="as `models.foreign`: `none` measures what hears English alone")
    given = parser.parse_args()
    settings = load_settings()
    if given.foreign is not None:
        settings = settings.model_copy(update={"models": settings.models.model_copy(update={"foreign": given.foreign})})
    asyncio.run(run(settings))


if __name__ == "__main__":
    main()
