"""Treats every message as a question: what is left without a head for the embedder where no LLM classifies."""

from handrail.types import Classification, Label, Probe, Question


class AlwaysAnswerable:
    async def classify(self, question: Question, probe: Probe) -> Classification:
        return Classification(Label.ANSWERABLE, 0.5, "rule")
