"""Fit the gates that ship:
`python -m eval.fit_gates --set KB FILE [--set KB FILE …] [--scores FILE …] [--cache DIR]`.

Files are in the retrieval or the refusal format; several may belong to one knowledge base. The gates say how likely it
is that the knowledge base answers the question. They must travel, so figures are leave-one-knowledge-base-out: each
base is judged by gates that were fitted to the others; rows with `"split": "test"` are never fitted on. What is read of
a base that the reader learnt from must come from a reader that did not (`eval.teach.questions --fold`, `--scores`).
What the size of a base weighs is fitted afterwards (`eval.fit_size`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.answerable import Pair
from eval.observed import Question, add_sets, named, observed, sets_of
from handrail.assembly.models import Readers, readers_of
from handrail.calibrate import Observed
from handrail.calibrate.fit import Array, Data, auc, calibration_error, fit, part
from handrail.calibrate.signals import ANSWER, EVIDENCE
from handrail.retrieve.answers import signals_of
from handrail.settings import Settings, load_settings

PLAIN = ("rerank_top",)
PENALTY = 12.0
ANSWERABLE = 0.6
"""Assumed share of questions that a help centre's own articles answer, whatever the share in the files."""
IMPORTANCE = {"foreign": 1.5, "title": 1.5}
"""Of easy questions, which are few in the files and many in life: gates that never see them pass what has nothing to do
with the articles."""
FITTED = Path(__file__).parent.parent / "src" / "handrail" / "fitted"
FALSE_REFUSALS = (0.05, 0.1)
DRAWS = 500


def table(
    rows: Sequence[Observed], signals: Sequence[str], owners: Sequence[str], answerable: float = ANSWERABLE
) -> Data:
    """Every knowledge base counts by the square root of its rows, so that the largest does not decide alone."""
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    importance = np.asarray([IMPORTANCE.get(row.asked.origin, 1.0) for row in rows])
    for owner in set(owners):
        inside = np.asarray(owners) == owner
        for kind, share in ((1.0, answerable), (0.0, 1 - answerable)):
            chosen = inside & (truth == kind)
            importance[chosen] *= share * inside.sum() ** 0.5 / max(importance[chosen].sum(), 1e-9)
    importance *= len(rows) / importance.sum()
    return Data(np.asarray([[row.signals[name] for name in signals] for row in rows]), truth, importance, owners)


def read_by(rows: Sequence[Question], learnt: Collection[str], scores: Mapping[Pair, float]) -> list[Question]:
    """`rows` with what was read of them; of bases that the reader learnt from, what others said that did not.

    Raises ValueError where that is missing.
    """
    found = []
    for row in rows:
        if row.kb not in learnt:
            found.append(row)
            continue
        pairs = [(row.seen.asked.question, text) for _, text in row.seen.read]
        if not all(pair in scores for pair in pairs):
            raise ValueError(f"{row.kb}: the reader learnt from it; give what one said that did not, with --scores")
        read = signals_of([scores[pair] for pair in pairs])
        found.append(Question(row.kb, replace(row.seen, signals={**row.seen.signals, **read})))
    return found


def left_out(rows: Sequence[Observed], signals: Sequence[str], owners: Sequence[str]) -> Array:
    """Probabilities for each knowledge base from the others."""
    predicted = np.zeros(len(rows))
    data = table(rows, signals, owners)
    for owner in dict.fromkeys(owners):
        held = np.asarray(owners) == owner
        predicted[held] = fit(part(data, ~held), PENALTY).probability(data.matrix[held])
    return predicted


def show(name: str, predicted: Array, rows: Sequence[Observed], owners: Sequence[str], threshold: float) -> None:
    written = np.asarray([row.asked.origin == "written" for row in rows])
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    print(f"{name}: leave one knowledge base out")
    for owner in [*dict.fromkeys(owners), ""]:
        inside: NDArray[np.bool_] = written & (np.asarray(owners) == owner) if owner else written
        if not inside.any():
            continue
        p, t = predicted[inside], truth[inside]
        area = auc(p, t)
        line = f"  {owner or 'together':10} n={len(p):4} ECE={calibration_error(p, t, mixed(t)):.3f}"
        if area is not None:
            line += f" AUC={area:.3f}; at {threshold}: {_rates(p, t, threshold)}"
            for rate in FALSE_REFUSALS:
                line += f"; at {rate:.0%} false refusals: {_rates(p, t, float(np.quantile(p[t == 1], rate)))}"
        print(line)


def gain(before: Array, after: Array, rows: Sequence[Observed], owners: Sequence[str]) -> str:
    """Mean over knowledge bases, and the interval of a bootstrap over each one's questions."""
    rng = np.random.default_rng(4)
    truth = np.asarray([float(row.asked.answerable) for row in rows])
    written = np.asarray([row.asked.origin == "written" for row in rows])
    inside = [np.flatnonzero(written & (np.asarray(owners) == owner)) for owner in dict.fromkeys(owners)]

    def mean(chosen: Sequence[NDArray[np.int64]]) -> float:
        return float(np.mean([(auc(after[i], truth[i]) or 0.5) - (auc(before[i], truth[i]) or 0.5) for i in chosen]))

    draws = [mean([rng.choice(i, len(i)) for i in inside]) for _ in range(DRAWS)]
    low, high = np.percentile(draws, (2.5, 97.5))
    return f"{mean(inside):+.3f} ({low:+.3f} to {high:+.3f})"


def mixed(truth: Array) -> Array:
    """Importance that makes the answerable ones the assumed share."""
    share = min(max(float(truth.mean()), 1e-6), 1 - 1e-6)
    return np.where(truth == 1, ANSWERABLE / share, (1 - ANSWERABLE) / (1 - share))


def _rates(predicted: Array, truth: Array, threshold: float) -> str:
    refused = predicted < threshold
    precision = (truth[refused] == 0).mean() if refused.any() else float("nan")
    return f"P {precision:.2f} R {refused[truth == 0].mean():.2f} FR {refused[truth == 1].mean():.2f} ({threshold:.2f})"


def fit_all(
    rows: Sequence[Observed], owners: Sequence[str], readers: Readers, settings: Settings, on: str, *, write: bool
) -> None:
    models = settings.models
    plain = left_out(rows, PLAIN, owners)
    show("the cross-encoder's score", plain, rows, owners, settings.gates.relevance)
    for name, signals, threshold in (
        ("relevance", EVIDENCE, settings.gates.relevance),
        ("critique", ANSWER, settings.generate.critique_partly),
    ):
        predicted = left_out(rows, signals, owners)
        show(name, predicted, rows, owners, threshold)
        print(
            "  AUC less that of the cross-encoder's score, mean over bases, 95 %: "
            + gain(plain, predicted, rows, owners)
        )
        fitted = fit(table(rows, signals, owners), PENALTY)
        print("  " + " ".join(f"{key}={value:.2f}" for key, value in zip(signals, fitted.weights, strict=True)))
        if write:
            gate = fitted.calibration(
                signals,
                reranker=models.reranker,
                embedder=models.embedder,
                reader=readers.digest,
                on=on,
                n=len(rows),
            )
            (FITTED / f"{name}.json").write_text(gate.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_scores(files: Sequence[Path]) -> dict[Pair, float]:
    """By question and passage; a pair that two files have is as in the last."""
    return {
        (question, text): answers
        for file in files
        for question, text, answers in json.loads(file.read_text(encoding="utf-8"))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_sets(parser)
    parser.add_argument("--scores", type=Path, action="append", default=[], help="of eval.teach.questions --fold")
    parser.add_argument("--dry-run", action="store_true", help="print the figures and write nothing")
    given = parser.parse_args()
    settings, sets = load_settings(), sets_of(given)
    readers = readers_of(settings)
    if readers is None:
        parser.error("the settings use no reader")
    learnt = {kb for kb in sets if f"{kb}: " in readers.fitted_on}
    try:
        rows = read_by(observed(sets, settings, given.cache, unread=learnt), learnt, read_scores(given.scores))
    except ValueError as error:
        parser.error(str(error))
    seen, owners = [row.seen for row in rows], [row.kb for row in rows]
    fit_all(seen, owners, readers, settings, named(sets), write=not given.dry_run)


if __name__ == "__main__":
    main()
