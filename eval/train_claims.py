"""Fits the claim model that ships: shallow trees over the signals of (claim, passage) pairs.

    python -m eval.train_claims --pairs eval/datasets/sample/claims.dev.jsonl \\
        --articles src/handrail/sample/help_centre --articles DIR/astro-docs \\
        --articles DIR/kb_partial.jsonl --cache signals.pickle

`--pairs` are labelled by hand and count most; `--articles` give sentences to make true and false claims of
(`eval/perturb.py`). Each signal may push one way only, so that a few hundred pairs cannot teach nonsense. Figures are
of pairs whose voice (the row's `voice`) was left out of training; the curve to probabilities is fitted to the same.
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
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from eval.perturb import Perturber
from handrail.assembly import build_embedder, build_reranker
from handrail.generate.verify.measure import Pair, measure
from handrail.generate.verify.model import ClaimModel, Tree
from handrail.local_models.batching import Batcher
from handrail.markdown import parse, plain
from handrail.settings import Settings, load_settings

OUT = Path(__file__).parent.parent / "src" / "handrail" / "fitted" / "claims.json"
RAISES = frozenset("cosine logit cover cover_passage number_found name_found".split())  # noqa: SIM905
EITHER = frozenset("claim_words reverse name_dropped".split())  # noqa: SIM905
"""Signals that may push both ways; every other one only lowers the score."""
BATCH = 64
SENTENCES = 4
"""In a passage made for perturbing."""
Row = dict[str, Any]


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


def signals(rows: Sequence[Row], settings: Settings, cache: Path | None) -> list[dict[str, float]]:
    """Per row; kept in `cache` by the texts of the pair."""
    known: dict[str, dict[str, float]] = pickle.loads(cache.read_bytes()) if cache and cache.exists() else {}  # noqa: S301
    keys = [hashlib.sha256(f"{row['claim']}\0{row['passage']}".encode()).hexdigest() for row in rows]
    todo = [(key, row) for key, row in zip(keys, rows, strict=True) if key not in known]
    if todo:
        embed = Batcher("embed", build_embedder(settings).embed_queries, BATCH, 10**6)
        rerank = Batcher("rerank", build_reranker(settings).score, BATCH, 10**6)
        for at in range(0, len(todo), BATCH):
            part = todo[at : at + BATCH]
            pairs = [Pair(row["claim"], row["passage"]) for _, row in part]
            for (key, _), found in zip(part, asyncio.run(measure(pairs, embed, rerank)), strict=True):
                known[key] = found.signals
        embed.close()
        rerank.close()
        if cache:
            cache.write_bytes(pickle.dumps(known))
    return [known[key] for key in keys]


def fit(x: Any, y: Any, weights: Any, names: Sequence[str], rounds: int, seed: int) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=0.08,
        max_leaf_nodes=8,
        min_samples_leaf=12,
        l2_regularization=1.0,
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, action="append", required=True)
    parser.add_argument("--articles", type=Path, action="append", default=[])
    parser.add_argument("--per-source", type=int, default=300)
    parser.add_argument("--weight", type=float, default=8.0, help="of a pair labelled by hand")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--dry", action="store_true", help="figures only")
    given = parser.parse_args()
    settings = load_settings()
    own = [json.loads(line) for path in given.pairs for line in path.read_text(encoding="utf-8").splitlines()]
    weak = [row for number, path in enumerate(given.articles) for row in made(path, given.per_source, number)]
    rows = [*own, *weak]
    found = signals(rows, settings, given.cache)
    names = sorted(set().union(*found))
    x = np.asarray([[item.get(name, 0.0) for name in names] for item in found])
    y = np.asarray([row["label"] == "supported" for row in rows], dtype=int)
    weights = np.asarray([given.weight] * len(own) + [1.0] * len(weak))
    voices = np.asarray([str(row.get("voice", "")) for row in own])
    held = np.zeros(len(own))
    for voice in sorted(set(voices.tolist())):
        out = np.concatenate([voices == voice, np.zeros(len(weak), dtype=bool)])
        model = fit(x[~out], y[~out], weights[~out], names, given.rounds, 0)
        held[voices == voice] = model.decision_function(x[out])
    truth = y[: len(own)]
    curve = LogisticRegression(C=1.0).fit(held[:, None], truth)
    p = curve.predict_proba(held[:, None])[:, 1]
    print(f"{len(own)} pairs, {len(weak)} made; voice left out: AUC {roc_auc_score(truth, held):.3f}")
    for cut in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        kept = p >= cut
        print(f"  from {cut}: precision {truth[kept].mean():.3f}, recall {truth[kept].sum() / truth.sum():.3f}")
    if given.dry:
        return
    base, trees = exported(fit(x, y, weights, names, given.rounds, 0), names)
    fitted = ClaimModel(
        embedder=settings.models.embedder,
        reranker=settings.models.reranker,
        signals=tuple(names),
        base=round(base, 5),
        trees=trees,
        slope=round(float(curve.coef_[0, 0]), 4),
        intercept=round(float(curve.intercept_[0]), 4),
        fitted_on=", ".join(path.name for path in (*given.pairs, *given.articles)),
        n=len(rows),
    )
    OUT.write_text(fitted.model_dump_json() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
