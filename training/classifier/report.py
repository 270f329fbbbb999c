"""What a fitted head scores on a set of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eval.metrics import routing
from eval.metrics.routing import Routed
from handrail.settings import Classify
from handrail.understand.classify.local import ANSWERED
from training.classifier.fit import LABELS, Array, probabilities
from training.classifier.rows import Row


def report(name: str, rows: Sequence[Row], logits: Array, detail: bool = False) -> float:
    """Prints one line, or with `detail` the table by class and language too; returns macro-F1."""
    found = probabilities(logits)
    plain = routing.score(routed(rows, found, 0.0))
    careful = routing.score(routed(rows, found, Classify().static_above))
    print(
        f"{name}: n={plain['n']} macro-F1 {plain['macro_f1']:.3f} (static replies from {Classify().static_above}: "
        f"{careful['macro_f1']:.3f}) accuracy {plain['accuracy']:.3f} ece {plain['ece']:.3f}"
    )
    for label, figures in plain["per_class"].items() if detail else ():
        shown = {key: round(value, 3) for key, value in figures.items() if value is not None}
        print(f"  {label:13} {shown}")
    if detail:
        foreign = [(row, p) for row, p in zip(rows, found, strict=True) if row.lang != "en"]
        if foreign:
            others = routing.score(routed([r for r, _ in foreign], np.stack([p for _, p in foreign]), 0.0))
            print(f"  not English: n={others['n']} macro-F1 {others['macro_f1']:.3f}")
    return float(plain["macro_f1"])


def routed(rows: Sequence[Row], found: Array, static_above: float) -> list[Routed]:
    """As `LocalClassifier` decides."""
    done = []
    for row, shares in zip(rows, found, strict=True):
        best = int(shares.argmax())
        if LABELS[best] not in ANSWERED and shares[best] < static_above:
            best = max((LABELS.index(label) for label in ANSWERED), key=lambda i: shares[i])
        done.append(Routed(row.label.value, LABELS[best].value, float(shares[best])))
    return done
