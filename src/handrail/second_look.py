"""When a fixed reply gives way to the articles: the classifier was not sure, and they answer the message."""

from __future__ import annotations

import math
from dataclasses import replace

from handrail.observe import TurnTrace
from handrail.settings import Gates
from handrail.types import Classification, Evidence, Label

DOUBTED = (Label.OUT_OF_SCOPE, Label.IRRELEVANT)
"""Labels that say what articles hold; the others say how a message is meant."""
SURE = 0.99
"""Probability of a label from which it stands, whatever the articles say."""
ARTICLES, LABELS, OTHERWISE = 0.76, 0.47, -0.65
"""Weights of the relevance gate's log-odds and of the label `answerable` against the one given, and what is added:
logistic regression by `python -m eval.fit_second_look` (experiment 173)."""
LEAST, MOST = 1e-3, 0.9999
"""Probabilities are read between these."""


def due(classification: Classification, gates: Gates) -> bool:
    return (
        gates.second_look < 1
        and classification.label in DOUBTED
        and classification.rule is None
        and classification.by == "local"
        and classification.probability < SURE
    )


def signals(relevance: float, classification: Classification) -> tuple[float, float]:
    """Log-odds that the articles answer, and of the label `answerable` against the one given."""
    relevance = min(max(relevance, 1 - MOST), MOST)
    answerable = max(classification.probabilities.get(Label.ANSWERABLE, 0.0), LEAST)
    return math.log(relevance / (1 - relevance)), math.log(answerable / max(classification.probability, LEAST))


def answered(relevance: float, classification: Classification) -> float:
    """Probability that the articles answer the message, as the relevance gate and the classifier say together."""
    articles, label = signals(relevance, classification)
    return 1 / (1 + math.exp(-(ARTICLES * articles + LABELS * label + OTHERWISE)))


def answering(
    trace: TurnTrace, evidence: Evidence, probability: float, gates: Gates, *, foreign: bool = False
) -> Evidence | None:
    """`evidence` where it answers the message as likely as asked for, None where not.

    `foreign`: in another language than the articles, where a label in doubt is a guess; then a question back is
    better than a fixed reply, whatever was found.
    """
    found = bool(evidence.hits) and (foreign or probability >= gates.second_look)
    with trace.stage("second_look") as span:
        span.record(probability=probability, passed=found)
    return evidence if found else None


def overruled(classification: Classification) -> Classification:
    """The message is a question after all; how likely it is one stays what the classifier said."""
    probability = classification.probabilities.get(Label.ANSWERABLE, 1 - classification.probability)
    return replace(classification, label=Label.ANSWERABLE, probability=probability)
