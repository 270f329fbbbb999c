"""Five-way classification of a message: local head, LLM, or a cascade of both."""

from typing import Protocol

from handrail.types import Classification, Probe, Question


class Classifier(Protocol):
    async def classify(self, question: Question, probe: Probe) -> Classification:
        """The label with a calibrated probability. Raises RetryableError when a provider is away."""
        ...
