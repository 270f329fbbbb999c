"""Fits the gates that ship: how likely is a section to answer? (`models/bundle/answers.json` and `answers_abroad.json`)

    python -m training.gate observe --base NAME --rows FILE [--rows FILE …] --out ROWS [--base NAME …]
    python -m training.gate fit ROWS [ROWS …] [--abroad] [--write]

`observe` asks a knowledge base of that name every question of the files and keeps what was seen of each section that
was read. Files are in the retrieval, the refusal, the answer-key, the section-label or the talk format. `fit` weighs
the signals by a logistic regression and reads the two thresholds off questions of bases it was not fitted to.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.assembly import build_parts
from handrail.assembly.models import readers_of
from handrail.calibrate.fit import Data, Fitted, auc, fit
from handrail.settings import Settings, load_settings
from handrail.types import Section

Array = NDArray[np.float64]
SIGNALS = ("reading", "fused", "late_lead")
ABROAD = ("dense_lift", "dense_lead")
"""Of messages in another language than the articles, which no reader of English reads."""
PENALTY = 6.0
BOUND, CLOSEST = 0.05, 0.1
"""Wrong answers among all questions that are answered at once; and where the closest band begins, in which nine in ten
of the questions that an article answers are shown."""
PARTLY, UNSURE = 0.6, 0.5
"""Truth of a section that holds some of what answers; weight of one known only to be of the right article."""
FITTED = Path(__file__).parents[1] / "src" / "handrail" / "models" / "bundle"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question and what is known of its answer."""

    question: str
    articles: tuple[str, ...] = ()
    """Empty where nothing answers it."""
    sections: Mapping[tuple[str, tuple[str, ...]], float] | None = None
    keys: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()

    def truth(self, section: Section) -> tuple[float, float] | None:
        """How far a section answers, and how much that is to be trusted; None where nothing is known."""
        if self.facts:
            held = sum(any(re.search(p, _flat(section.text), re.I) for p in fact) for fact in self.facts)
            return (1.0 if held == len(self.facts) else PARTLY if held else 0.0), 1.0
        ours = any(section.article_id == one or (len(one) >= 16 and section.article_id.startswith(one))
                   for one in self.articles)  # fmt: skip
        labelled = (self.sections or {}).get((section.article_id, section.headings))
        if labelled is not None:
            return labelled, 1.0
        if not ours:
            return 0.0, 1.0
        if self.keys:
            held = sum(_flat(key) in _flat(section.text) for key in self.keys)
            return (1.0 if held == len(self.keys) else PARTLY if held else 0.0), 1.0
        return None


def _flat(text: str) -> str:
    return " ".join(re.sub(r"[*_`]", "", text).split())


def wanted(path: Path, base: str) -> Iterator[Wanted]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "turns" in row:
            yield from _first_turn(row, base)
        elif "sections" in row:
            if row["kb"] == base:
                worth = {"answers": 1.0, "helps": PARTLY, "beside": 0.0}
                known = {(s["article"], tuple(s["headings"])): worth[s["label"]] for s in row["sections"]}
                yield Wanted(
                    row["question"], tuple({s["article"] for s in row["sections"] if s["label"] != "beside"}), known
                )
        elif "should_refuse" in row:
            documents = [row.get("expected_doc"), *(row.get("alt_docs") or ())]
            gold = tuple(one for one in documents if one) if not row["should_refuse"] else ()
            if row["should_refuse"] or gold:
                yield Wanted(row["question"], gold)
        else:
            yield Wanted(row["question"], tuple(row["article_ids"]), keys=tuple(row.get("keys", ())))


def _first_turn(row: Mapping[str, Any], base: str) -> Iterator[Wanted]:
    first = row["turns"][0]
    facts = tuple(tuple(fact) for fact in first["want"].get("facts", ()))
    if row["kb"] == base and facts:
        yield Wanted(first["say"], facts=facts)


async def observe(base: str, files: Sequence[Path], settings: Settings) -> list[dict[str, Any]]:
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        rows: dict[str, Wanted] = {}
        for row in (row for path in files for row in wanted(path, base)):
            old = rows.get(row.question)
            if old is None or row.keys or row.sections or row.facts:
                rows[row.question] = row
        found = []
        for number, row in enumerate(rows.values()):
            evidence = await retriever.retrieve(row.question, {})
            seen = [
                {
                    "section": one.section.id,
                    "truth": row.truth(one.section),
                    "ours": one.section.article_id in row.articles,
                    "signals": one.signals,
                }
                for one in evidence.sections
            ]
            found.append({"base": base, "question": row.question, "answerable": bool(row.articles or row.facts),
                          "unlisted": bool(evidence.unlisted), "seen": seen})  # fmt: skip
            if number % 100 == 99:
                print(f"{base}: {number + 1}/{len(rows)}", file=sys.stderr, flush=True)
        return found
    finally:
        parts.close()


def table(rows: Sequence[Mapping[str, Any]], signals: Sequence[str]) -> Data:
    """A row for each section; every base counts by the square root of its questions, each question once."""
    matrix, truth, weight, groups = [], [], [], []
    sizes = {base: sum(row["base"] == base for row in rows) for base in {row["base"] for row in rows}}
    for row in rows:
        known = [(one, *(one["truth"] or ())) for one in row["seen"] if one["truth"] is not None]
        ours = [one for one in row["seen"] if one["truth"] is None]
        if ours:
            best = max(ours, key=lambda one: one["signals"]["reading"])
            known.append((best, 1.0, UNSURE))
        for one, value, trust in known:
            for target, share in ((1.0, value), (0.0, 1 - value)):
                if share:
                    matrix.append([one["signals"][name] for name in signals])
                    truth.append(target)
                    weight.append(share * trust * sizes[row["base"]] ** -0.5)
                    groups.append(row["base"])
    importance = np.asarray(weight)
    return Data(np.asarray(matrix), np.asarray(truth), importance * len(weight) / importance.sum(), groups)


def chosen(row: Mapping[str, Any], fitted: Fitted, signals: Sequence[str]) -> tuple[float, float, float]:
    """Probability of the section that leads, whether it answers, and whether one of the three best does."""
    if not row["seen"] or row["unlisted"]:
        return 0.0, 0.0, 0.0
    found = fitted.probability(np.asarray([[one["signals"][name] for name in signals] for one in row["seen"]]))
    order = np.argsort(-found)
    right = [_right(row["seen"][at]) for at in order[:3]]
    return float(found[order[0]]), right[0], max(right)


def _right(one: Mapping[str, Any]) -> float:
    """A section that is known only to be of the right article counts as right."""
    return 1.0 if one["truth"] is None else float(one["truth"][0])


def left_out(rows: Sequence[Mapping[str, Any]], signals: Sequence[str], penalty: float) -> Array:
    """`(questions, 3)`: as `chosen`, each by a fit that saw no question of its base."""
    found = np.zeros((len(rows), 3))
    for base in sorted({row["base"] for row in rows}):
        others = fit(table([row for row in rows if row["base"] != base], signals), penalty)
        for at, row in enumerate(rows):
            if row["base"] == base:
                found[at] = chosen(row, others, signals)
    return found


def thresholds(found: Array) -> tuple[float, float]:
    """The least probability from which at most `BOUND` of all questions are answered wrongly, and that of "closest"."""
    order = np.sort(found[:, 0])[::-1]
    answered = 1.0
    for limit in order:
        over = found[:, 0] >= limit
        if (1 - found[over, 1]).sum() > BOUND * len(found):
            break
        answered = float(limit)
    return answered, CLOSEST


def report(found: Array, rows: Sequence[Mapping[str, Any]]) -> None:
    answerable = np.asarray([row["answerable"] for row in rows])
    at, _ = thresholds(found)
    hit = found[answerable]
    right = auc(found[:, 0], (found[:, 1] > 0.5).astype(float))
    print(f"n {len(found)}, answerable {answerable.sum()}: leading section right {hit[:, 1].mean():.3f}, "
          f"one of three {hit[:, 2].mean():.3f}, AUC of being right {right:.3f}, "
          f"AUC of answerable {auc(found[:, 0], answerable.astype(float)):.3f}")  # fmt: skip
    over = found[:, 0] >= at
    print(f"answered from {at:.3f}: {over.mean():.3f} of all, right {found[over, 1].mean():.3f}")
    for limit in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4):
        shown = found[:, 0] >= limit
        print(f"  shown from {limit}: answerable {shown[answerable].mean():.3f}, "
              f"not answerable {shown[~answerable].mean():.3f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    seeing = commands.add_parser("observe")
    seeing.add_argument("--base", required=True)
    seeing.add_argument("--rows", type=Path, action="append", required=True)
    seeing.add_argument("--out", type=Path, required=True)
    fitting = commands.add_parser("fit")
    fitting.add_argument("rows", type=Path, nargs="+")
    fitting.add_argument("--abroad", action="store_true", help="the gate of messages in other languages")
    fitting.add_argument("--signals", help="other signals than those of the gate, separated by commas")
    fitting.add_argument(
        "--answered", type=float, help="bound of the answered band, where it was read off talks and not off the rows"
    )
    fitting.add_argument("--penalty", type=float, default=PENALTY)
    fitting.add_argument("--write", action="store_true")
    given = parser.parse_args()
    settings = load_settings()
    if given.command == "observe":
        knowledge = settings.knowledge.model_copy(update={"kb": given.base})
        rows = asyncio.run(observe(given.base, given.rows, settings.model_copy(update={"knowledge": knowledge})))
        given.out.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")
        return
    rows = [json.loads(line) for path in given.rows for line in path.read_text(encoding="utf-8").splitlines()]
    usual = ABROAD if given.abroad else SIGNALS
    signals = tuple(given.signals.split(",")) if given.signals else usual
    found = left_out(rows, signals, given.penalty)
    report(found, rows)
    everything = fit(table(rows, signals), given.penalty)
    print({name: round(float(value), 3) for name, value in zip(signals, everything.weights, strict=True)})
    if given.write:
        at, close = thresholds(found)
        at = given.answered or at
        reader = readers_of(settings)
        gate = everything.calibration(
            signals, reranker=settings.models.reranker, embedder=settings.models.embedder,
            reader=reader.digest if reader else "", on=", ".join(sorted({row["base"] for row in rows})), n=len(rows),
            threshold=round(at, 3), closest=close,
        )  # fmt: skip
        name = "answers_abroad.json" if given.abroad else "answers.json"
        (FITTED / name).write_text(json.dumps(gate.model_dump(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
