"""Fit the weights that tell follow-ups from fresh questions: `python -m eval.fit_follow_up`.

Follow-ups are those of the sample conversations and of the written pairs; fresh questions are those of the sample's
other development sets and its articles' titles, each after a question about something else. Needs the sample's index.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.datasets import SAMPLE
from handrail.assembly import build_parts
from handrail.assembly.parts import Parts
from handrail.converse import cues
from handrail.converse.dependence import features
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import load_settings

PAIRS = Path(__file__).parent / "training" / "follow_ups" / "pairs.jsonl"
TARGET = Path(__file__).parents[1] / "src" / "handrail" / "fitted" / "follow_up.json"
FRESH_KINDS = ("fresh", "switch")
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Pair:
    last: str
    text: str
    depends: bool


def pairs(parts: Parts) -> list[Pair]:
    found = [Pair(row["last"], row["text"], row["depends"]) for row in _rows(PAIRS)]
    for row in _rows(SAMPLE / "conversation.jsonl"):
        turns, text = row["turns"], row["turns"][-1]
        if cues.SWITCH.match(cues.lead_removed(text)):
            continue
        last = " ".join(turns[:-1])
        found.append(Pair(last, text, row["kind"] not in FRESH_KINDS))
        found.append(Pair(last, text.lower().rstrip("?.!"), row["kind"] not in FRESH_KINDS))
    questions = [row["question"] for row in _rows(SAMPLE / "retrieval.jsonl")]
    fresh = [
        *questions,
        *(row["question"] for row in _rows(SAMPLE / "refusal.jsonl")),
        *(row["text"] for row in _rows(SAMPLE / "routing.jsonl") if row["label"] == "answerable"),
        *(f"How do I {title[0].lower()}{title[1:]}?" for title in parts.snapshot.titles.values()),
    ]
    found += [Pair(questions[(7 * n + 3) % len(questions)], text, False) for n, text in enumerate(fresh)]
    return found


async def rows(retriever: HybridRetriever, chosen: list[Pair]) -> list[dict[str, float]]:
    out = []
    for pair in chosen:
        probe, before = await retriever.probe(pair.text), await retriever.probe(pair.last)
        out.append(features(pair.text, pair.last, probe.topic, float(probe.embedding @ before.embedding)))
    return out


def main() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    settings = load_settings()
    parts = build_parts(settings)
    try:
        chosen = pairs(parts)
        measured = asyncio.run(rows(parts.retriever(settings), chosen))
    finally:
        parts.close()
    names = list(measured[0])
    values: NDArray[Any] = np.asarray([[row[name] for name in names] for row in measured])
    wanted = np.asarray([pair.depends for pair in chosen])
    weights = np.where(wanted, (~wanted).sum() / wanted.sum() * 0.6, 1.0)
    held_out = np.zeros(len(wanted))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(values, wanted):
        model = LogisticRegression(C=1.0, max_iter=5000).fit(values[train], wanted[train], sample_weight=weights[train])
        held_out[test] = model.predict_proba(values[test])[:, 1]
    for threshold in (0.2, 0.28, 0.35, 0.5, 0.65):
        above = held_out >= threshold
        print(f"from {threshold}: found {above[wanted].mean():.3f}, fresh taken for one {above[~wanted].mean():.3f}")
    for pair, value in sorted(zip(chosen, held_out, strict=True), key=lambda item: float(item[1])):
        if pair.depends != (value >= 0.35):
            print(f"  {value:.2f} {'follow-up' if pair.depends else 'fresh'}: {pair.last[:50]!r} | {pair.text!r}")
    model = LogisticRegression(C=1.0, max_iter=5000).fit(values, wanted, sample_weight=weights)
    fitted = {"intercept": round(float(model.intercept_[0]), 3)}
    fitted |= {name: round(float(weight), 3) for name, weight in zip(names, model.coef_[0], strict=True)}
    about = {"fitted_on": "eval/fit_follow_up.py", "n": len(chosen), "embedder": settings.models.embedder}
    TARGET.write_text(json.dumps({**about, "weights": fitted}, indent=2) + "\n", encoding="utf-8")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main()
