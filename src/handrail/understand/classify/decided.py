"""A second opinion on a message's label by a decision model, which may only make the reply more careful."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from handrail.types import Classification, Label, Probe, Question
from handrail.understand.classify import Classifier

Opinion = Callable[[Question, Probe, Classification], Awaitable[Mapping[Label, float] | None]]
"""Probabilities by label, which add up to less than one where none may fit; None where nobody else was asked."""
MAJORITY = 0.5
"""A label that is not likelier than all others together decides nothing."""
STATIC = frozenset({Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE})
CAREFUL = {Label.ANSWERABLE: STATIC, Label.HIGH_STAKES: STATIC | {Label.ANSWERABLE}}
"""What a label may take the place of: a fixed reply becomes a question, or either a serious matter. Never the other
way: what somebody writes can steer a model, and must not talk it out of a hand-over or into a cheaper reply."""


class DecidedClassifier:
    """A Classifier. What rules decided stands, and so does the first opinion where nobody else has one."""

    def __init__(self, first: Classifier, opinion: Opinion) -> None:
        self._first = first
        self._opinion = opinion

    async def classify(self, question: Question, probe: Probe) -> Classification:
        first = await self._first.classify(question, probe)
        if first.by == "rule" or first.label is Label.HIGH_STAKES:
            return first
        found = await self._opinion(question, probe, first)
        if not found:
            return first
        label = max(found, key=found.__getitem__)
        if found[label] <= MAJORITY or first.label not in CAREFUL.get(label, ()):
            return first
        return replace(first, label=label, probability=found[label], by="decision")
