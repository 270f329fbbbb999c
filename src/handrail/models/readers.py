"""Several networks that read the same pairs: the later ones only those that the first leaves open.

Of the others it is taken what is to be expected by what the first one says, so that the mean stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from handrail.models import Logit
from handrail.models.taught import LOGIT, OnnxTaught
from handrail.models.tuned import Floats

OPEN = 1.5
"""A passage this many log-odds below the one that the first reader finds likeliest for the same question is not read
again: on six bases the second reader puts one of 840 on top that would then be missed (experiment 183)."""
EXPECTED = (0.52, 0.29)
"""What the second reader says of a passage, by what the first says: slope and intercept, fitted on the 3,166
pairs of those questions that are not read again."""
CLEAR = 3.0
"""A claim that is not stated by such log-odds, as the first network has it, is read by no other. One that is stated is,
since nothing wrong may be shown."""
EXPECTED_OF_CLAIMS = (0.83, -0.88)
"""The mean of the others, by what the first says: slope and intercept, fitted on the 101 of the claims for development
that are as clear."""


class QuestionReaders:
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


class ClaimReaders:
    """The mean of several networks, log-odds that the passage states the claim, for each pair of both."""

    def __init__(self, first: OnnxTaught, others: Sequence[OnnxTaught], *, threads: int) -> None:
        self._first = first
        self._others = others
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="claims")

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """In the order given.

        Answers have few claims, so that no thread waits until all of them are read by one network.
        """
        begun = {self._threads.submit(read): at for at, read in self._first.tasks(pairs)}
        first: dict[int, float] = {}
        others: dict[int, list[Future[Floats]]] = {}
        for done in as_completed(begun):
            at = begun[done]
            first[at] = float(done.result()[0])
            if first[at] > -CLEAR:
                others[at] = [self._threads.submit(network.tasks([pairs[at]])[0][1]) for network in self._others]
        return [self._mean(first[at], others.get(at)) for at in range(len(pairs))]

    def _mean(self, first: float, others: Sequence[Future[Floats]] | None) -> float:
        slope, intercept = EXPECTED_OF_CLAIMS
        most = len(self._others)
        if others is None:
            rest = most * (slope * first + intercept)
        else:
            rest = sum(float(future.result()[0]) for future in others)
        return (first + rest) / (1 + most)
