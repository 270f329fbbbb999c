"""Fit the gates that ship: `python -m eval.fit_gates --set KB FILE [--set KB FILE …]`.

To the questions of each file come as many made of the knowledge base's own titles and question headings. Each is run
twice: as it is, and with its gold articles taken out of the index, which makes a near-miss that the knowledge base
cannot answer. The evidence is right when a gold article is among the passages; the answer is right when it cites one.
Figures are cross-validated by question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from handrail.assembly import Parts, build_parts
from handrail.calibration import Calibration
from handrail.generate.critique import fit_signals
from handrail.generate.extractive import ExtractiveAnswerer
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Settings, load_settings
from handrail.stores.snapshot import Snapshot
from handrail.types import Classification, Hit, Label, Question, Vectors
from handrail.wording import load_wording

EVIDENCE = ("rerank_top", "rerank_margin", "dense_top", "dense_third", "coverage_top", "coverage_all", "agreement")
ANSWER = ("unit_top", "coverage_answer", "rerank_top", "dense_top", "coverage_all", "rerank_margin")
PRIOR = 0.7
"""Assumed share of questions that a help centre's own articles answer; half of the rows here are made unanswerable."""
FITTED = Path(__file__).parent.parent / "src" / "handrail" / "fitted"


@dataclass(frozen=True, slots=True)
class Sample:
    question: str
    signals: dict[str, float]
    evidence_right: bool
    answer_right: bool


class WithoutGold(HybridRetriever):
    """Retrieval as if the named articles did not exist."""

    gold: tuple[str, ...] = ()

    def _search(self, query: str, embedding: Vectors, filters: object) -> list[Hit]:
        hits = super()._search(query, embedding, {})
        return [hit for hit in hits if not hit.passage.article_id.startswith(self.gold)] if self.gold else hits


def made(snapshot: Snapshot, count: int) -> list[dict[str, object]]:
    """Questions from titles and from headings that are questions, in a fixed random order."""
    rng = random.Random(5)  # noqa: S311
    asked = {p.headings[-1]: p.article_id for p in snapshot.passages if p.headings and p.headings[-1].endswith("?")}
    for article, title in snapshot.titles.items():
        asked[_as_question(title, rng)] = article
    rows = sorted(asked.items())
    rng.shuffle(rows)
    return [{"question": question, "article_ids": [article]} for question, article in rows[:count]]


def _as_question(title: str, rng: random.Random) -> str:
    plain = title.split(":")[-1].strip()
    lowered = plain[:1].lower() + plain[1:]
    return rng.choice(
        [f"how do I {lowered}", f"{lowered}", f"I need help with {lowered}", f"where do I find {lowered}?"]
    )


async def samples(parts: Parts, settings: Settings, rows: Sequence[dict[str, object]]) -> list[Sample]:
    reranker = parts.reranker(settings)
    retriever = WithoutGold(parts.snapshot, parts.store.search, parts.embed, reranker, settings.retrieval, parts.covers)
    answerer = ExtractiveAnswerer(parts.rerank, settings.generate, load_wording(settings.brand.name), None)
    answerable = Classification(Label.ANSWERABLE, 1.0, "rule")
    found = []
    for row in rows:
        text, gold = str(row["question"]), tuple(str(item) for item in row["article_ids"])  # type: ignore[attr-defined]
        question = Question(text, "", "")
        for removed in ((), gold):
            retriever.gold = removed
            evidence = await retriever.retrieve(text, {})
            draft = await answerer.answer(question, answerable, evidence)
            cited = {passage_id for claim in draft.claims for passage_id in claim.passage_ids}
            found.append(
                Sample(
                    text,
                    fit_signals(draft, evidence),
                    any(hit.passage.article_id.startswith(gold) for hit in evidence.hits),
                    any(passage_id.startswith(gold) for passage_id in cited),
                )
            )
    return found


def log_odds(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def calibration_error(predicted: Vectors, truth: Vectors, importance: Vectors) -> float:
    """Expected calibration error over ten equal-width bins, rows weighted by how common they are outside."""
    edges = np.minimum((predicted * 10).astype(int), 9)
    total = 0.0
    for edge in set(edges.tolist()):
        inside = edges == edge
        weights = importance[inside]
        gap = abs(np.average(predicted[inside], weights=weights) - np.average(truth[inside], weights=weights))
        total += gap * weights.sum()
    return float(total / importance.sum())


def fit(
    name: str, rows: Sequence[Sample], signals: Sequence[str], right: Sequence[bool], settings: Settings, on: str
) -> Calibration:
    matrix = np.asarray([[row.signals.get(signal, 0.0) for signal in signals] for row in rows])
    means, scales = matrix.mean(axis=0), np.maximum(matrix.std(axis=0), 1e-6)
    standard, truth = (matrix - means) / scales, np.asarray(right, dtype=int)
    model = LogisticRegression(C=0.5)
    groups = [row.question for row in rows]
    predicted = cross_val_predict(model, standard, truth, groups=groups, cv=GroupKFold(5), method="predict_proba")[:, 1]
    share = truth.mean()
    shift = log_odds(PRIOR) - log_odds(share)
    predicted = 1 / (1 + np.exp(-(np.log(predicted / (1 - predicted)) + shift)))
    importance = np.where(truth == 1, PRIOR / share, (1 - PRIOR) / (1 - share))
    ece = calibration_error(predicted, truth, importance)
    auc = roc_auc_score(truth, predicted)
    print(f"{name}: n={len(rows)} positives={share:.2f} AUC={auc:.3f}; with prior {PRIOR}: ECE={ece:.3f}")
    for cut in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        kept = predicted >= cut
        right_kept, wrong_kept = kept[truth == 1].mean(), kept[truth == 0].mean()
        print(f"  at {cut}: keeps {right_kept:.2f} of the right, {wrong_kept:.2f} of the wrong")
    model.fit(standard, truth)
    weights = dict(zip(signals, model.coef_[0].round(4).tolist(), strict=True))
    print("  " + " ".join(f"{key}={value}" for key, value in weights.items()))
    return Calibration(
        reranker=settings.models.reranker,
        embedder=settings.models.embedder,
        intercept=round(float(model.intercept_[0] + shift), 4),
        weights=weights,
        means=dict(zip(signals, means.round(4).tolist(), strict=True)),
        scales=dict(zip(signals, scales.round(4).tolist(), strict=True)),
        fitted_on=on,
        n=len(rows),
    )


def with_gold(path: Path) -> list[dict[str, object]]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row.get("article_ids")]


async def run(sets: Sequence[tuple[str, str, list[dict[str, object]]]]) -> None:
    settings = load_settings()
    rows: list[Sample] = []
    for kb, _, asked in sets:
        parts = build_parts(settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})}))
        rows += await samples(parts, settings, asked + made(parts.snapshot, len(asked)))
        parts.close()
    on = ", ".join(f"{kb}: {Path(path).name}" for kb, path, _ in sets)
    FITTED.mkdir(exist_ok=True)
    for name, signals, right in (
        ("relevance", EVIDENCE, [row.evidence_right for row in rows]),
        ("critique", ANSWER, [row.answer_right for row in rows]),
    ):
        fitted = fit(name, rows, signals, right, settings, on)
        (FITTED / f"{name}.json").write_text(fitted.model_dump_json(indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    asyncio.run(run([(kb, path, with_gold(Path(path))) for kb, path in parser.parse_args().sets]))


if __name__ == "__main__":
    main()
