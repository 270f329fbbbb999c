"""Train the local classifier head: `python -m eval.train_classifier --kb sample [--intents DIR] [--out FILE]`.

Rows come from `eval/training/intents` (written for this product) and, where `--intents` names a folder with CLINC150
(CC BY 3.0), BANKING77 (CC BY 4.0) and Bitext customer intents (CDLA-Sharing 1.0), a sample of those; only weights
derived from them ship, never their sentences. Hyper-parameters and the temperature are chosen by five-fold
cross-validation; the held-out file is scored once at the end and never fitted to.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix, f1_score, log_loss
from sklearn.model_selection import StratifiedKFold

from handrail.assembly import build_embedder, read_snapshot
from handrail.classify.features import BUCKETS, EMBEDDING_SCALE, NGRAM_SCALE, TOPIC, ngrams
from handrail.classify.local import ANSWERED
from handrail.retrieve.topic import TopicProbe
from handrail.settings import Classify, Settings, load_settings
from handrail.stores.chroma import ChromaStore, connect
from handrail.types import Label, Vectors

Array = NDArray[Any]

HERE = Path(__file__).parent
LABELS = tuple(Label)
STATIC_ABOVE = Classify().static_above
FOREIGN_BANKING = {
    "card_arrival",
    "exchange_rate",
    "atm_support",
    "cash_withdrawal_charge",
    "top_up_by_cash_or_cheque",
    "card_linking",
    "card_swallowed",
    "getting_spare_card",
    "get_physical_card",
    "exchange_via_app",
    "fiat_currency_support",
}
BITEXT = {
    "contact_human_agent": Label.OUT_OF_SCOPE,
    "track_order": Label.OUT_OF_SCOPE,
    "track_refund": Label.OUT_OF_SCOPE,
    "delete_account": Label.HIGH_STAKES,
    "complaint": Label.HIGH_STAKES,
    "get_refund": Label.HIGH_STAKES,
    "recover_password": Label.ANSWERABLE,
    "check_payment_methods": Label.ANSWERABLE,
    "delivery_options": Label.ANSWERABLE,
}


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    label: Label
    near_kb: bool
    """Whether topic features against the knowledge base mean something for this row."""
    weight: float = 1.0


def own_rows(folder: Path) -> Iterator[Row]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield Row(row["text"], Label(row["label"]), not str(row.get("about", "")).startswith("other:"))


def outside_rows(folder: Path, rng: random.Random) -> Iterator[Row]:
    """A bounded sample of the public sets, mapped onto the five labels where the mapping is beyond doubt."""
    clinc = json.loads((folder / "clinc150-oos" / "data_full.json").read_text(encoding="utf-8"))
    foreign = [t for t, _ in clinc["oos_train"] + clinc["oos_val"] + clinc["oos_test"]]
    yield from (Row(text, Label.IRRELEVANT, True, 0.5) for text in rng.sample(foreign, 450))
    banking = _csv(folder / "banking77" / "train.csv")
    cards = [row["text"] for row in banking if row["category"] in FOREIGN_BANKING]
    yield from (Row(text, Label.IRRELEVANT, True, 0.4) for text in rng.sample(cards, 150))
    grouped: dict[str, list[str]] = {}
    for row in _csv(folder / "bitext-customer-intents" / "train.csv"):
        text = row.get("utterance") or row.get("instruction") or row.get("text") or ""
        grouped.setdefault(row["intent"], []).append(text)
    for intent, label in BITEXT.items():
        texts = sorted(set(grouped.get(intent, [])))
        yield from (Row(text, label, False, 0.3) for text in rng.sample(texts, min(50, len(texts))))


def roughened(rows: Sequence[Row], rng: random.Random) -> list[Row]:
    """One rough copy of each row: capitals, lost punctuation, or a slip of the finger, equally often in every class."""
    return [Row(_rough(row.text, rng), row.label, row.near_kb, row.weight * 0.5) for row in rows]


def _rough(text: str, rng: random.Random) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        return text.upper()
    if kind == 1:
        return "".join(c for c in text.lower() if c.isalnum() or c.isspace())
    letters = list(text)
    for _ in range(max(1, len(letters) // 25)):
        at = rng.randrange(len(letters) - 1) if len(letters) > 2 else 0
        if letters[at].isalpha() and at + 1 < len(letters):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters) if kind == 2 else "".join(letters).rstrip("?!.")


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


class Featurizer:
    def __init__(self, settings: Settings, kb: str) -> None:
        self._embedder = build_embedder(settings)
        store = ChromaStore(connect(settings.storage.data_dir, settings.storage.chroma_url), kb, self._embedder.name)
        store.open()
        covers = self._embedder.embed_passages([settings.brand.covers])[0] if settings.brand.covers else None
        self._topic = TopicProbe(read_snapshot(settings, store), covers)
        self.embedder_name = self._embedder.name
        self.means = np.zeros(len(TOPIC), dtype=np.float32)
        self.scales = np.ones(len(TOPIC), dtype=np.float32)

    def raw(self, rows: Sequence[Row]) -> tuple[Vectors, Vectors, csr_matrix]:
        embeddings = np.concatenate(
            [self._embedder.embed_queries([row.text for row in rows[i : i + 256]]) for i in range(0, len(rows), 256)]
        )
        topic = np.full((len(rows), len(TOPIC)), np.nan, dtype=np.float32)
        for i, row in enumerate(rows):
            if row.near_kb:
                found = self._topic.features(row.text, embeddings[i])
                topic[i] = [found[name] for name in TOPIC]
        return embeddings, topic, _sparse([ngrams(row.text) for row in rows])

    def fit(self, topic: Vectors) -> None:
        self.means = np.nanmean(topic, axis=0).astype(np.float32)
        self.scales = np.maximum(np.nanstd(topic, axis=0), 1e-6).astype(np.float32)

    def matrix(self, raw: tuple[Vectors, Vectors, csr_matrix]) -> csr_matrix:
        embeddings, topic, grams = raw
        near = (np.where(np.isnan(topic), self.means, topic) - self.means) / self.scales
        return hstack([csr_matrix(embeddings * EMBEDDING_SCALE), csr_matrix(near), grams * NGRAM_SCALE], format="csr")


def _sparse(rows: Sequence[tuple[Array, Array]]) -> csr_matrix:
    starts = np.cumsum([0, *(len(indices) for indices, _ in rows)])
    indices = np.concatenate([indices for indices, _ in rows])
    values = np.concatenate([values for _, values in rows])
    return csr_matrix((values, indices, starts), shape=(len(rows), BUCKETS))


def fit_head(matrix: csr_matrix, labels: Array, weights: Array, strength: float) -> LogisticRegression:
    model = LogisticRegression(C=strength, max_iter=400, tol=1e-3, class_weight="balanced")
    return model.fit(matrix, labels, sample_weight=weights)


def out_of_fold(matrix: csr_matrix, labels: Array, weights: Array, originals: int, strength: float) -> Array:
    """Logits of the first `originals` rows, each by a model that saw neither the row nor its rough copy."""
    logits = np.zeros((originals, len(LABELS)), dtype=np.float64)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=7).split(np.zeros(originals), labels[:originals]):
        rows = np.concatenate([train, train + originals])
        model = fit_head(matrix[rows], labels[rows], weights[rows], strength)
        logits[test] = matrix[test] @ model.coef_.T + model.intercept_
    return logits


def best_temperature(logits: Array, labels: Array) -> float:
    grid = np.geomspace(0.3, 4.0, 60)
    return float(min(grid, key=lambda t: log_loss(labels, _softmax(logits / t), labels=range(len(LABELS)))))


def _softmax(logits: Array) -> Array:
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Array = exponents / exponents.sum(axis=1, keepdims=True)
    return shares


def calibration_error(probabilities: Array, labels: Array, bins: int = 10) -> float:
    """Expected calibration error of the top label over equal-width bins (Guo et al. 2017)."""
    top, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    edges = np.minimum((top * bins).astype(int), bins - 1)
    return float(sum(abs(top[edges == b].mean() - right[edges == b].mean()) * (edges == b).mean() for b in set(edges)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--kb", default="sample", help="indexed knowledge base that topic features are measured against"
    )
    parser.add_argument("--intents", type=Path, help="folder with the public intent sets; left out when not given")
    parser.add_argument("--held-out", type=Path, default=HERE / "datasets" / "sample" / "routing.jsonl")
    parser.add_argument("--out", type=Path, default=HERE.parent / "src" / "handrail" / "classify" / "head.npz")
    arguments = parser.parse_args()
    rng = random.Random(20)  # noqa: S311
    featurizer = Featurizer(load_settings(), arguments.kb)
    rows = list(own_rows(HERE / "training" / "intents"))
    rows += list(outside_rows(arguments.intents, rng)) if arguments.intents else []
    both = rows + roughened(rows, rng)
    raw = featurizer.raw(both)
    featurizer.fit(raw[1])
    matrix = featurizer.matrix(raw)
    labels = np.asarray([LABELS.index(row.label) for row in both])
    weights = np.asarray([row.weight for row in both])
    scores = {}
    for strength in (0.3, 1.0):
        logits = out_of_fold(matrix, labels, weights, len(rows), strength)
        scores[strength] = f1_score(labels[: len(rows)], logits.argmax(axis=1), average="macro"), logits
        print(f"C={strength}: cross-validated macro-F1 {scores[strength][0]:.4f}", file=sys.stderr)
    strength = max(scores, key=lambda s: scores[s][0])
    temperature = best_temperature(scores[strength][1], labels[: len(rows)])
    model = fit_head(matrix, labels, weights, strength)
    np.savez_compressed(
        arguments.out,
        labels=np.asarray([label.value for label in LABELS]),
        weights=model.coef_.T.astype(np.float16),
        bias=model.intercept_.astype(np.float32),
        means=featurizer.means,
        scales=featurizer.scales,
        temperature=np.float32(temperature),
        embedder=np.asarray(featurizer.embedder_name),
    )
    report_held_out(arguments.held_out, featurizer, model, temperature, len(rows), scores[strength][0])


def report_held_out(
    path: Path, featurizer: Featurizer, model: LogisticRegression, temperature: float, n: int, cv: float
) -> None:
    held = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [Row(row["text"], Label(row["label"]), True) for row in held]
    truth = np.asarray([LABELS.index(row.label) for row in rows])
    matrix = featurizer.matrix(featurizer.raw(rows))
    probabilities = _softmax((matrix @ model.coef_.T + model.intercept_) / temperature)
    guess = probabilities.argmax(axis=1)
    print(f"training rows {n}, cross-validated macro-F1 {cv:.3f}, temperature {temperature:.2f}")
    cautious = probabilities.copy()
    for index, label in enumerate(LABELS):
        if label not in ANSWERED:
            cautious[cautious[:, index] < STATIC_ABOVE, index] = 0.0
    careful = f1_score(truth, cautious.argmax(axis=1), average="macro")
    print(f"held-out with static replies from {STATIC_ABOVE}: macro-F1 {careful:.3f}")
    plain = f1_score(truth, guess, average="macro")
    print(f"held-out n={len(rows)} macro-F1 {plain:.3f} ece {calibration_error(probabilities, truth):.3f}")
    print(classification_report(truth, guess, target_names=[label.value for label in LABELS], digits=3))
    print(confusion_matrix(truth, guess))


if __name__ == "__main__":
    main()
