"""Simple questions to the fast model, the others to the strong one."""

from __future__ import annotations

import re
from typing import Literal

from handrail.generate import Answerer, Hearer
from handrail.types import Classification, Draft, Evidence, Label, Question

Complexity = Literal["simple", "complex"]
SIMPLE_WORDS = 18
SEVERAL = re.compile(
    r"\?.*\?|\b(?:compare|comparison|difference|versus|vs|better|instead of|depends|both|unless|except|"
    r"if .{3,80}\bthen|what if|step by step|why)\b|[,;] (?:and|or|but) (?:how|what|when|can|do|is)\b",
    re.IGNORECASE | re.DOTALL,
)


def complexity(question: Question, classification: Classification) -> Complexity:
    """Complex: high stakes, long, several questions, or a comparison or condition."""
    if classification.label is Label.HIGH_STAKES or len(question.text.split()) > SIMPLE_WORDS:
        return "complex"
    return "complex" if SEVERAL.search(question.text) else "simple"


class ByComplexity:
    """An Answerer that chooses between two."""

    def __init__(self, fast: Answerer, strong: Answerer) -> None:
        self._fast = fast
        self._strong = strong

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: Hearer | None = None
    ) -> Draft:
        chosen = self._fast if complexity(question, classification) == "simple" else self._strong
        return await chosen.answer(question, classification, evidence, heard)
