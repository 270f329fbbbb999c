"""Local first; a language model only where the local classifier is unsure."""

from __future__ import annotations

from dataclasses import replace

from handrail.errors import HandrailError
from handrail.types import Classification, Probe, Question
from handrail.understand.classify import Classifier


class CascadeClassifier:
    """A Classifier whose second opinion is asked below `unsure_below` and never needed: a failure keeps the first."""

    def __init__(self, local: Classifier, second: Classifier, unsure_below: float) -> None:
        self._local = local
        self._second = second
        self._unsure_below = unsure_below

    async def classify(self, question: Question, probe: Probe) -> Classification:
        first = await self._local.classify(question, probe)
        if first.probability >= self._unsure_below:
            return first
        try:
            second = await self._second.classify(question, probe)
        except HandrailError:
            return first
        return replace(second, probabilities=second.probabilities or first.probabilities)
