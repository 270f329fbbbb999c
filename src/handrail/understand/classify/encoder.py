"""Labels by the encoders that were taught to tell them: one of English, and one of a hundred languages.

The two were trained apart and err apart, so their probabilities are averaged. Nothing else decides: no word list, and
nothing of the articles, whose own say is heard when they have been looked up (`turn.found`).
"""

from __future__ import annotations

import re

import numpy as np

from handrail.types import Classification, Label, Probe, Question, Vectors

LABELS = (Label.ANSWERABLE, Label.HIGH_STAKES, Label.OUT_OF_SCOPE, Label.IRRELEVANT, Label.NONSENSE)
"""In the order in which the encoders were taught them."""
ANSWERED = (Label.ANSWERABLE, Label.HIGH_STAKES)
UNTOLD = Classification(Label.ANSWERABLE, 0.5, "local")
"""Where no encoder tells: a question, which nobody denies."""
COMPANY = "our company"
"""Stands for the company's own name, so that what is learned about one company holds for another."""
LONGEST = 400
"""Characters read; the start and the end of a longer message say what it wants."""


class EncoderClassifier:
    """A Classifier. A fixed reply needs a label that is at least `static_above` likely; in doubt it is a question."""

    def __init__(self, static_above: float) -> None:
        self._static_above = static_above

    async def classify(self, question: Question, probe: Probe) -> Classification:
        """No encoder runs here: the probe has been read by them."""
        if not any(character.isalnum() for character in question.text):
            return Classification(Label.NONSENSE, 0.99, "rule", {Label.NONSENSE: 0.99})
        told = [
            logits for logits in (None if probe.abroad else probe.label_scores, probe.foreign) if logits is not None
        ]
        if not told:
            return UNTOLD
        mean = np.mean([_shares(logits) for logits in told], axis=0)
        found = dict(zip(LABELS, mean.tolist(), strict=True))
        label = max(LABELS, key=found.__getitem__)
        if label not in ANSWERED and found[label] < self._static_above:
            label = max(ANSWERED, key=found.__getitem__)
        return Classification(label, found[label], "local", found)


def encoder_text(text: str, name: str = "") -> str:
    """As the encoders were taught to read a message: short enough, and without the company's own `name`."""
    known = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", COMPANY, text, flags=re.IGNORECASE) if name else text
    if len(known) <= LONGEST:
        return known
    half = LONGEST // 2
    return f"{known[:half]} {known[-half:]}"


def _shares(logits: Vectors) -> Vectors:
    raised = np.exp(logits - logits.max())
    found: Vectors = raised / raised.sum()
    return found
