"""Labels by the multilingual encoder alone: for embedders that no head was trained with."""

from __future__ import annotations

import numpy as np

from handrail.types import Classification, Label, Probe, Question

LABELS = (Label.ANSWERABLE, Label.HIGH_STAKES, Label.OUT_OF_SCOPE, Label.IRRELEVANT, Label.NONSENSE)
"""In the order in which the encoder was taught them."""
UNTOLD = Classification(Label.ANSWERABLE, 0.5, "local")
"""Where no encoder hears messages: a question, which nobody denies."""


class ByEncoder:
    """A Classifier. `labels` are in the order in which the encoder was taught them."""

    def __init__(self, labels: tuple[Label, ...]) -> None:
        self._labels = labels

    async def classify(self, question: Question, probe: Probe) -> Classification:
        if probe.foreign is None:
            return UNTOLD
        shifted = np.exp(probe.foreign - probe.foreign.max())
        found = dict(zip(self._labels, (shifted / shifted.sum()).tolist(), strict=True))
        label = max(found, key=found.__getitem__)
        return Classification(label, found[label], "local", found)
