"""Fit what is asked of messages around a serious one: `python -m eval.fit_serious`, with the sample's index.

Two logistic regressions over the embeddings that every message has: whether it refuses to be offered anything, and
whether it goes on about the serious matter that came before it. Rows that are held out are only measured.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.assembly import build_parts
from handrail.converse.serious import FITTED, beside
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import load_settings

TRAINING = Path(__file__).parent / "training"
TARGET = Path(__file__).parents[1] / "src" / "handrail" / "fitted" / FITTED
REFUSALS, LATER = TRAINING / "offers" / "refusals.jsonl", TRAINING / "serious" / "later.jsonl"
PENALTY = {"declines": 10.0, "continues": 1.0}


async def inputs(retriever: HybridRetriever) -> dict[str, tuple[NDArray[Any], list[dict[str, Any]]]]:
    """By head: a row for each message, and where it comes from."""
    refusals, later = _rows(REFUSALS), _rows(LATER)
    said = [(await retriever.probe(row["text"])).embedding for row in refusals]
    pairs = [
        beside((await retriever.probe(row["text"])).embedding, (await retriever.probe(row["serious"])).embedding)
        for row in later
    ]
    return {"declines": (np.stack(said), refusals), "continues": (np.stack(pairs), later)}


def main() -> None:
    from sklearn.linear_model import LogisticRegression

    settings = load_settings()
    parts = build_parts(settings)
    try:
        found = asyncio.run(inputs(parts.retriever(settings)))
    finally:
        parts.close()
    fitted: dict[str, Any] = {"embedder": settings.models.embedder, "fitted_on": "eval/fit_serious.py"}
    for name, (values, rows) in found.items():
        wanted = np.asarray([row[name] for row in rows])
        held_out = np.asarray([row["held_out"] for row in rows])
        model = LogisticRegression(C=PENALTY[name], max_iter=5000, class_weight="balanced")
        model.fit(values[~held_out], wanted[~held_out])
        sure = model.predict_proba(values[held_out])[:, 1]
        right, wrong = sure[wanted[held_out]] >= 0.5, sure[~wanted[held_out]] >= 0.5
        print(f"{name}: of {held_out.sum()} held out, found {right.mean():.2f}, taken for one {wrong.mean():.2f}")
        weights = [round(float(weight), 3) for weight in model.coef_[0]]
        fitted[name] = {"n": int((~held_out).sum()), "intercept": round(float(model.intercept_[0]), 3)}
        fitted[name]["weights"] = weights
    TARGET.write_text(json.dumps(fitted, separators=(",", ":")) + "\n", encoding="utf-8")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
