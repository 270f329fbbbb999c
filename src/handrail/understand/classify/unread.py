"""Messages in a language that the encoder does not read, where the articles are in it too."""

from __future__ import annotations

from dataclasses import replace

from handrail.types import Classification, Label, Probe, Question
from handrail.understand.classify import Classifier

KNOWN_FROM = 0.6
"""Share of a message's words that the articles use, from which it is taken for a question about them."""
STATIC = frozenset({Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE})


class UnreadLanguage:
    """Does not turn away what it cannot read: words that the articles use count for more than a guess."""

    def __init__(self, classifier: Classifier, lang: str) -> None:
        self._classifier = classifier
        self._lang = lang

    async def classify(self, question: Question, probe: Probe) -> Classification:
        found = await self._classifier.classify(question, probe)
        ours = (question.unspoken or question.lang) == self._lang and probe.topic.get("known", 0.0) >= KNOWN_FROM
        return (
            replace(found, label=Label.ANSWERABLE, probability=1.0 - found.probability, by="rule")
            if ours and found.label in STATIC
            else found
        )
