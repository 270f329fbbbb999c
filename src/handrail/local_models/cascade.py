"""Two readers of the same pairs, the second of which reads only what is still open when the first has read all."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.local_models import Logit
from handrail.local_models.taught import LOGIT, OnnxTaught

OPEN = 1.5
"""A passage this many log-odds below the one that the first reader finds likeliest for the same question is not read
again: on six bases the second reader puts one of 840 on top that would then be missed (experiment 183)."""
EXPECTED = (0.52, 0.29)
"""What the second reader says of a passage, by what the first says: slope and intercept, fitted on the 3,166
pairs of those questions that are not read again."""


class Cascade:
    """The mean of both readers for each pair of question and passage."""

    def __init__(self, first: OnnxTaught, second: OnnxTaught) -> None:
        self._first = first
        self._second = second

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[Logit]:
        """In the order given, with the first reader's logit.

        A pair that is not open has what is to be expected of the second reader.
        """
        read = self._first.read(pairs)
        likeliest: dict[str, float] = {}
        for (question, _), (_, answers) in zip(pairs, read, strict=True):
            likeliest[question] = max(float(answers), likeliest.get(question, float("-inf")))
        still = [at for at, (question, _) in enumerate(pairs) if read[at][1] > likeliest[question] - OPEN]
        again = dict(zip(still, self._second.read([pairs[at] for at in still]), strict=True))
        slope, intercept = EXPECTED
        said = [
            float(again[at][1]) if at in again else slope * float(one[1]) + intercept for at, one in enumerate(read)
        ]
        return [
            Logit(LOGIT * float(one[0]), (float(one[1]) + other) / 2) for one, other in zip(read, said, strict=True)
        ]
