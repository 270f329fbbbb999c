"""When a fixed reply gives way to the articles: the classifier was not sure, and they answer the message."""

from __future__ import annotations

from dataclasses import replace

from handrail.gates import Calibrator
from handrail.observe import TurnTrace
from handrail.settings import Gates
from handrail.types import Classification, Evidence, Label

DOUBTED = (Label.OUT_OF_SCOPE, Label.IRRELEVANT)
"""Labels that say what articles hold; the others say how a message is meant."""
SURE = 0.95
"""Probability of a label from which it stands, whatever the articles say."""
ABOUT = -1.0
"""Least logit of the best passage: the gate also likes "are you a human?", which no passage is about."""
ANSWERS = 1.0
"""Log-odds that the first passage answers, from which it need not look as if it were about the message: articles in
other words than the visitor's do not (experiment 141)."""


def due(classification: Classification, gates: Gates) -> bool:
    return (
        gates.second_look < 1
        and classification.label in DOUBTED
        and classification.rule is None
        and classification.by == "local"
        and classification.probability < SURE
    )


def answering(
    trace: TurnTrace, evidence: Evidence, calibrator: Calibrator, gates: Gates, *, foreign: bool = False
) -> Evidence | None:
    """`evidence` where it answers the message, None where not.

    `foreign`: in another language than the articles, where a label in doubt is a guess; then a question back is
    better than a fixed reply, whatever was found.
    """
    probability = calibrator.probability(evidence)
    signals = evidence.signals
    about = signals.get("rerank_top", 0.0) >= ABOUT or signals.get("reader_first", 0.0) >= ANSWERS
    found = bool(evidence.hits) and (foreign or (about and probability >= gates.second_look))
    with trace.stage("second_look") as span:
        span.record(probability=probability, passed=found)
    return evidence if found else None


def overruled(classification: Classification) -> Classification:
    """The message is a question after all; how likely it is one stays what the classifier said."""
    probability = classification.probabilities.get(Label.ANSWERABLE, 1 - classification.probability)
    return replace(classification, label=Label.ANSWERABLE, probability=probability)
