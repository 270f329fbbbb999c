"""Fits the claim model that ships: shallow trees over the signals of (claim, passage) pairs.

    python -m eval.train_claims --pairs eval/datasets/sample/claims.dev.jsonl \\
        --articles src/handrail/sample/help_centre --articles DIR/astro-docs \\
        --articles DIR/kb_partial.jsonl --per-source 150 --cache signals.pickle \\
        --written eval/training/claims

`--pairs` and `--written` (files, or folders of them) are labelled by hand and count most; `--articles` give sentences
to make true and false claims of (`eval/perturb.py`). Each signal may push one way only, so that some thousand pairs
cannot teach nonsense. Figures are of pairs whose voice (the row's `voice`) was left out of training; the curve to
probabilities is fitted to the same. A quotation is never read, so what is said from one probability on is of the rest.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import pickle
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from eval.perturb import Perturber
from handrail.assembly import build_reranker
from handrail.generate.verify.measure import Pair, doubtful, measure
from handrail.generate.verify.model import ClaimModel, Tree
from handrail.generate.verify.quotes import quoted
from handrail.local_models.batching import Batcher
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.reader import STATES, QueryStates, Reading
from handrail.markdown import parse, plain
from handrail.settings import Settings, load_settings

OUT = Path(__file__).parent.parent / "src" / "handrail" / "fitted" / "claims.json"
RAISES = frozenset({"logit", "stated", "cover", "cover_passage", "number_found", "name_found"})
EITHER = frozenset("claim_words reverse name_dropped".split())  # noqa: SIM905
"""Signals that may push both ways; every other one only lowers the score."""
BATCH = 64
SENTENCES = 4
"""In a passage made for perturbing."""
STATED = "stated"
"""The signal that is itself fitted here: a linear reading of the cross-encoder's states."""
LAYERS = (5, 7, 9)
"""Of the cross-encoder, counted from 0, whose states it reads."""
EXTREMES = (7, 9)
"""Of these also the least and the greatest state of any of the claim's words: one wrong word is lost in a mean."""
READING_C = 0.003
FOLDS = 4
FEWEST = 20
"""Pairs that a threshold is judged by."""
Row = dict[str, Any]
Found = tuple[dict[str, float], NDArray[np.float32]]
"""Signals of a pair, and the states of its claim beside the window it was held against."""


def articles(path: Path) -> Iterator[str]:
    """Markdown of a folder of .md or .mdx files, or the `contents` of JSON lines."""
    if path.is_dir():
        for file in sorted([*path.rglob("*.md"), *path.rglob("*.mdx")]):
            yield re.sub(r"\A---.*?^---", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
    else:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["contents"]


def passages(texts: Iterator[str]) -> list[str]:
    """Four sentences or list items each, in reading order."""
    found = []
    for text in texts:
        units = [plain(unit) for block in parse(text) if block.kind not in ("code", "table") for unit in block.units]
        units = [re.sub(r"^(\d+\.|-) ", "", " ".join(unit.split())) for unit in units]
        units = [unit if unit[-1] in ".!?" else f"{unit}." for unit in units if 4 <= len(unit.split()) <= 40]
        found += [" ".join(units[at : at + SENTENCES]) for at in range(0, len(units) - 2, SENTENCES)]
    return found


def made(path: Path, per_source: int, seed: int) -> list[Row]:
    texts = passages(articles(path))
    chosen = sorted(random.Random(seed).sample(range(len(texts)), min(per_source, len(texts))))  # noqa: S311
    claims = Perturber([texts[i] for i in chosen], seed).claims(3)
    return [
        {"claim": m.claim, "passage": m.passage, "label": "supported" if m.supported else "unsupported", "kind": m.kind}
        for m in claims
    ]


def written(path: Path) -> Iterator[Row]:
    """A passage behind `#`, then claims, each with `+` or `-` and its kind in front."""
    passage = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            passage = line[2:]
        elif line:
            kind, claim = line[1:].split(" ", 1)
            label = "supported" if line[0] == "+" else "unsupported"
            yield {"claim": claim, "passage": passage, "label": label, "kind": kind, "voice": path.stem}


def measured(rows: Sequence[Row], settings: Settings, cache: Path | None) -> list[Found]:
    """Per row; kept in `cache` by the texts of the pair."""
    known: dict[str, Found] = pickle.loads(cache.read_bytes()) if cache and cache.exists() else {}  # noqa: S301
    keys = [hashlib.sha256(f"{row['claim']}\0{row['passage']}".encode()).hexdigest() for row in rows]
    todo = [(key, row) for key, row in zip(keys, rows, strict=True) if key not in known]
    if todo:
        rerank = Batcher("rerank", build_reranker(settings).score, BATCH, 10**6)
        states = query_states(settings)
        for at in range(0, len(todo), BATCH):
            part = todo[at : at + BATCH]
            pairs = [Pair(row["claim"], row["passage"]) for _, row in part]
            found = asyncio.run(measure(pairs, rerank))
            best = [
                (pair.claim, pair.passage[one.window.start : one.window.end] if one.window else pair.passage)
                for pair, one in zip(pairs, found, strict=True)
            ]
            for (key, _), one, state in zip(part, found, states.of(best), strict=True):
                signals = {name: value for name, value in one.signals.items() if name != STATED}
                known[key] = signals, state
        rerank.close()
        if cache:
            cache.write_bytes(pickle.dumps(known))
    return [known[key] for key in keys]


def query_states(settings: Settings) -> QueryStates:
    models = settings.models
    return QueryStates(
        locate(find(models.reranker, "reranker"), models.folder),
        LAYERS,
        threads=models.threads,
        max_tokens=models.rerank_max_tokens,
        query_tokens=models.query_max_tokens,
        extremes=EXTREMES,
    )


@dataclass(frozen=True, slots=True)
class Data:
    """Rows as arrays; those made by perturbing have the voice `made`."""

    x: NDArray[np.float64]
    states: NDArray[np.float32]
    y: NDArray[np.int_]
    weights: NDArray[np.float64]
    voices: NDArray[Any]
    passages: NDArray[Any]

    def read(self, train: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
        """Weights and intercept of the linear reading of states, fitted to some rows."""
        mean, spread = self.states[train].mean(axis=0), self.states[train].std(axis=0) + 1e-3
        model = LogisticRegression(C=READING_C, max_iter=500)
        model.fit((self.states[train] - mean) / spread, self.y[train], sample_weight=self.weights[train])
        slopes = model.coef_[0] / spread
        return slopes, float(model.intercept_[0] - mean @ slopes)

    def stated(self, train: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The reading of every row: of rows to train on, from passages that were left out for them."""
        slopes, intercept = self.read(train)
        values: NDArray[np.float64] = self.states @ slopes + intercept
        places = np.flatnonzero(train)
        for rest, out in GroupKFold(FOLDS).split(places, groups=self.passages[places]):
            inside = np.zeros(len(self.y), dtype=bool)
            inside[places[rest]] = True
            slopes, intercept = self.read(inside)
            values[places[out]] = self.states[places[out]] @ slopes + intercept
        return values

    def with_stated(self, train: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.column_stack([self.x, self.stated(train)])


def fit(x: Any, y: Any, weights: Any, names: Sequence[str], rounds: int, seed: int) -> HistGradientBoostingClassifier:
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
    return model.fit(x, y, sample_weight=weights)


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
    parser.add_argument("--articles", type=Path, action="append", default=[])
    parser.add_argument("--per-source", type=int, default=300)
    parser.add_argument(
        "--weight", type=float, default=20.0, help="of a pair labelled by hand, where one that was made has 1"
    )
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--dry", action="store_true", help="figures only")
    given = parser.parse_args()
    settings = load_settings()
    own = [json.loads(line) for path in given.pairs for line in path.read_text(encoding="utf-8").splitlines()]
    files = [file for path in given.written for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])]
    own += [row for file in files for row in written(file)]
    weak = [row for number, path in enumerate(given.articles) for row in made(path, given.per_source, number)]
    rows = [*own, *weak]
    found = measured(rows, settings, given.cache)
    names = [*sorted(set().union(*(signals for signals, _ in found))), STATED]
    data = Data(
        x=np.asarray([[signals.get(name, 0.0) for name in names[:-1]] for signals, _ in found]),
        states=np.asarray([state for _, state in found]),
        y=np.asarray([row["label"] == "supported" for row in rows], dtype=int),
        weights=np.asarray([1.0] * len(own) + [1.0 / given.weight] * len(weak)),
        voices=np.asarray([str(row.get("voice", "")) for row in own] + ["made"] * len(weak)),
        passages=np.asarray([hashlib.sha256(row["passage"].encode()).hexdigest() for row in rows]),
    )
    held = np.zeros(len(own))
    for voice in sorted(set(data.voices[: len(own)].tolist())):
        out = data.voices == voice
        train = ~out & ~np.isin(data.passages, data.passages[out])
        x = data.with_stated(train)
        model = fit(x[train], data.y[train], data.weights[train], names, given.rounds, 0)
        held[out[: len(own)]] = model.decision_function(x[out])
    truth = data.y[: len(own)]
    curve = LogisticRegression(C=1.0).fit(held[:, None], truth)
    p = curve.predict_proba(held[:, None])[:, 1]
    print(f"{len(own)} pairs, {len(weak)} made; voice left out: AUC {roc_auc_score(truth, held):.3f}")
    for voice in sorted(set(data.voices[: len(own)].tolist())):
        these = data.voices[: len(own)] == voice
        print(f"  {voice}: n = {these.sum()}, AUC {roc_auc_score(truth[these], held[these]):.3f}")
    read = np.asarray([quoted(row["claim"], row["passage"]) is None for row in own])
    doubt = np.asarray([doubtful(signals) for signals, _ in found[: len(own)]])
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
    says_thresholds(p[~doubt], truth[~doubt], p, truth)
    if given.dry:
        return
    whole = np.ones(len(rows), dtype=bool)
    base, trees = exported(fit(data.with_stated(whole), data.y, data.weights, names, given.rounds, 0), names)
    about = ", ".join(path.name for path in (*given.pairs, *files, *given.articles))
    fitted = ClaimModel(
        reranker=settings.models.reranker,
        signals=tuple(names),
        base=round(base, 5),
        trees=trees,
        slope=round(float(curve.coef_[0, 0]), 4),
        intercept=round(float(curve.intercept_[0]), 4),
        fitted_on=about,
        n=len(rows),
    )
    OUT.write_text(fitted.model_dump_json() + "\n", encoding="utf-8")
    slopes, intercept = data.read(whole)
    reading = Reading(
        model=settings.models.reranker,
        layers=list(LAYERS),
        extremes=list(EXTREMES),
        weights=[round(float(slope), 6) for slope in slopes],
        intercept=round(intercept, 6),
        fitted_on=about,
        n=len(rows),
    )
    OUT.with_name(STATES).write_text(reading.model_dump_json() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
