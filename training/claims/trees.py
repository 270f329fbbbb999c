"""Fits the claim model that ships: shallow trees over the signals of (claim, passage) pairs.

    python -m training.claims.trees --pairs eval/datasets/sample/claims.dev.jsonl --written eval/training/claims \\
        --scores DIR/1.json --scores DIR/2.json --scores DIR/3.json

`--pairs` and `--written` (files, or folders of them) are labelled by hand; `--scores` are what `python -m
training.encoders.claims --fold` says of pairs that it has not learnt, and pairs without one are left out. Each signal
may push one way only, so that some thousand pairs cannot teach nonsense. Figures are of pairs whose voice (or, of a
long file, whose passage) was left out of training; the curve to probabilities is fitted to the same. A quotation is
never read: what is said from one probability on is of the rest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from handrail.models.batching import Batcher
from handrail.settings import load_settings
from handrail.text.quotes import quoted
from handrail.verify.measure import ENTAILED, Pair, doubtful, measure
from handrail.verify.model import ClaimModel, Tree
from training import FITTED
from training.claims.pairs import Row, groups, key, labelled, read_as, texts

OUT = FITTED / "claims.json"
RAISES = frozenset({ENTAILED, "cover", "cover_passage", "number_found", "name_found"})
EITHER = frozenset("claim_words reverse name_dropped".split())  # noqa: SIM905
"""Signals that may push both ways; every other one only lowers the score."""
FOLDS = 8
FEWEST = 20
"""Pairs that a threshold is judged by."""


def measured(rows: Sequence[Row], scores: Mapping[str, float]) -> list[dict[str, float]]:
    """Signals per row."""
    known = {read_as(row): scores[key(row["claim"], row["passage"])] for row in rows}

    def looked_up(pairs: list[tuple[str, str]]) -> list[float]:
        return [known[pair] for pair in pairs]

    entails = Batcher("entails", looked_up, 64, 10**6)
    found = asyncio.run(measure([Pair(row["claim"], row["passage"]) for row in rows], entails))
    entails.close()
    return [one.signals for one in found]


def fit(x: Any, y: Any, names: Sequence[str], rounds: int, seed: int) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=0.08,
        max_leaf_nodes=8,
        min_samples_leaf=12,
        l2_regularization=0.2,
        max_features=0.5,
        monotonic_cst=[0 if n in EITHER else 1 if n in RAISES else -1 for n in names],
        random_state=seed,
        early_stopping=False,
    )
    return model.fit(x, y)


def exported(model: HistGradientBoostingClassifier, names: Sequence[str]) -> tuple[float, tuple[Tree, ...]]:
    """scikit-learn's trees as plain tables."""
    trees = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        trees.append(
            Tree(
                signal=tuple(-1 if node["is_leaf"] else int(node["feature_idx"]) for node in nodes),
                at=tuple(round(float(node["num_threshold"]), 5) if not node["is_leaf"] else 0.0 for node in nodes),
                left=tuple(int(node["left"]) for node in nodes),
                right=tuple(int(node["right"]) for node in nodes),
                value=tuple(round(float(node["value"]), 5) for node in nodes),
            )
        )
    return float(np.ravel(model._baseline_prediction)[0]), tuple(trees)


def says_thresholds(sure: Any, sure_truth: Any, p: Any, truth: Any) -> None:
    """The lowest probability from which, and the highest below which, enough of the labels are right."""
    grid = np.arange(0.02, 0.98, 0.005)
    for aim in (0.93, 0.95, 0.96):
        upper = [cut for cut in grid if (sure >= cut).sum() >= FEWEST and sure_truth[sure >= cut].mean() >= aim]
        lower = [cut for cut in grid if (p < cut).sum() >= FEWEST and 1 - truth[p < cut].mean() >= aim]
        kept = sure >= min(upper, default=1.0)
        print(
            f"  right in {aim}: supported from {min(upper, default=1.0):.3f} ({kept.sum()} pairs, recall "
            f"{sure_truth[kept].sum() / truth.sum():.3f}), unsupported below {max(lower, default=0.0):.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, action="append", required=True)
    parser.add_argument("--written", type=Path, action="append", default=[], help="pairs as in eval/training/claims")
    parser.add_argument("--scores", type=Path, action="append", required=True)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--dry", action="store_true", help="figures only")
    given = parser.parse_args()
    settings = load_settings()
    scores = {name: score for path in given.scores for name, score in json.loads(path.read_text()).items()}
    rows = [row for row in labelled(given.pairs, given.written) if key(row["claim"], row["passage"]) in scores]
    found = measured(rows, scores)
    names = sorted(set().union(*found))
    x = np.asarray([[signals.get(name, 0.0) for name in names] for signals in found])
    y = truth = np.asarray([row["label"] == "supported" for row in rows], dtype=int)
    held = np.zeros(len(rows))
    for rest, out in GroupKFold(FOLDS).split(x, groups=groups(rows)):
        model = fit(x[rest], truth[rest], names, given.rounds, 0)
        held[out] = model.decision_function(x[out])
    voices = np.asarray([str(row.get("voice", "")) for row in rows])
    alone = x[:, names.index(ENTAILED)]
    curve = LogisticRegression(C=1.0).fit(held[:, None], truth)
    p = curve.predict_proba(held[:, None])[:, 1]
    both = roc_auc_score(truth, held), roc_auc_score(truth, alone)
    print(f"{len(rows)} pairs left out: AUC {both[0]:.3f}, entailment alone {both[1]:.3f}")
    for voice in sorted(set(voices.tolist())):
        of = voices == voice
        both = roc_auc_score(truth[of], held[of]), roc_auc_score(truth[of], alone[of])
        print(f"  {voice}: n = {of.sum()}, AUC {both[0]:.3f}, entailment alone {both[1]:.3f}")
    read = np.asarray([quoted(row["claim"], row["passage"]) is None for row in rows])
    doubt = np.asarray([doubtful(signals) for signals in found])
    print(
        f"of these {read.sum()} no quotations, AUC {roc_auc_score(truth[read], held[read]):.3f}; below of these alone"
    )
    print(f"one word may turn {doubt[read].sum()} of them round; {truth[read & doubt].sum()} of these are supported")
    truth, p, doubt = truth[read], p[read], doubt[read]
    for cut in (0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94):
        kept = (p >= cut) & ~(doubt & (cut > 0.5))
        print(
            f"  from {cut}: precision {truth[kept].mean():.3f}, recall {truth[kept].sum() / truth.sum():.3f}; "
            f"below: {1 - truth[~kept].mean():.3f} false, {(1 - truth[~kept]).sum() / (1 - truth).sum():.3f} of those"
        )
    for cut in (0.85, 0.9, 0.92, 0.94, 0.96):
        kept = doubt & (p >= cut)
        print(f"  in doubt, from {cut}: {kept.sum()} pairs, right {truth[kept].mean():.3f}")
    says_thresholds(p[~doubt], truth[~doubt], p, truth)
    if given.dry:
        return
    base, trees = exported(fit(x, y, names, given.rounds, 0), names)
    fitted = ClaimModel(
        reranker=settings.models.reranker,
        signals=tuple(names),
        base=round(base, 5),
        trees=trees,
        slope=round(float(curve.coef_[0, 0]), 4),
        intercept=round(float(curve.intercept_[0]), 4),
        fitted_on=", ".join(path.name for path in (*given.pairs, *texts(given.written))),
        n=len(rows),
    )
    OUT.write_text(fitted.model_dump_json() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
