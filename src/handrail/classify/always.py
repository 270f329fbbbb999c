"""Treats every message as a question: what is left when there is no head for the embedder and the LLM is away."""

from handrail.types import Classification, Label, Probe, Question


class AlwaysAnswerable:
    async def classify(self, question: Question, probe: Probe) -> Classification:
        return Classification(Label.ANSWERABLE, 0.5, "rule")
