"""The gate fitted to one knowledge base: questions, what was found for them, and what makes better probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handrail.models.calibration import Calibration, probability


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to fit on, and what is known of its answer."""

    question: str
    article_ids: tuple[str, ...] = ()
    """Articles that answer it; empty when none does, or when nobody said which."""
    answerable: bool = True
    origin: str = "written"
    """`written`, `llm`, `article`, `swap`, `foreign` or `removed`."""
    without: tuple[str, ...] = ()
    """Articles taken out of the index for this question, which makes a near-miss of it."""
    author: str = ""
    """Who wrote it, where a file says."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A question, and the section that leads for it."""

    asked: Asked
    signals: Mapping[str, float]
    """Empty where no section may be shown at all."""
    right: bool
    """The section is of an article that answers, or nobody said which article does."""

    def probability(self, gate: Calibration) -> float:
        """That the section answers, as `gate` sees it; 0 without one."""
        return probability(gate, self.signals) if self.signals else 0.0
