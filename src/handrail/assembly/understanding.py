"""How messages are understood, as the settings ask for it."""

from __future__ import annotations

from dataclasses import replace

from handrail.settings import Classify
from handrail.turn.stages import Stages
from handrail.understand.classify import Classifier
from handrail.understand.local import LocalUnderstanding


def understood_by(stages: Stages, classifier: Classifier, settings: Classify) -> Stages:
    """With another classifier behind the understanding of messages, and the one before it as its spare."""
    before = stages.understand.primary
    primary = LocalUnderstanding(stages.retriever, classifier, settings)
    return replace(stages, understand=replace(stages.understand, primary=primary, spare=before))
