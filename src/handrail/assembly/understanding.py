"""How messages are understood, as the settings ask for it."""

from __future__ import annotations

from dataclasses import replace

from handrail.turn.stages import Stages
from handrail.understand.classify import Classifier
from handrail.understand.local import LocalUnderstanding


def understood_by(stages: Stages, classifier: Classifier, called_above: float) -> Stages:
    """With another classifier behind the understanding of messages, and the one before it as its spare."""
    before = stages.understand.primary
    primary = LocalUnderstanding(stages.retriever, classifier, called_above)
    return replace(stages, understand=replace(stages.understand, primary=primary, spare=before))
