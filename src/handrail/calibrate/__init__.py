"""Gates fitted to one knowledge base: questions, their signals, and models that turn these into probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to fit on, and what is known of its answer."""

    question: str
    article_ids: tuple[str, ...] = ()
    """Articles that answer it; empty when none does, or when nobody said which."""
    answerable: bool = True
    origin: str = "written"
    """`written`, `llm`, `title`, `heading`, `sentence`, `step`, `swap`, `foreign` or `removed`."""
    without: tuple[str, ...] = ()
    """Articles taken out of the index for this question, which makes a near-miss of it."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A question and how the assistant did on it."""

    asked: Asked
    signals: Mapping[str, float]
    """Those of the evidence and of the answer; see `retrieve.signals` and `generate.critique`."""
    found: bool
    """A gold article is among the passages."""
    cited: bool
    """The answer cites a gold article."""
    static: float
    """The classifier's probability that the message gets a static reply."""
    overall: Mapping[str, float]
    """How near the message is to the articles as a whole, as the classifier sees it."""
    read: Sequence[tuple[str, str]] = ()
    """What the reader was given, best first: article and text."""
