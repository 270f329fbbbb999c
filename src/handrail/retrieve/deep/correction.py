"""Weak evidence is looked for again in other words, a bounded number of times; then it is a person's turn.

After corrective retrieval (Yan et al. 2024), with the calibrated gate as the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from handrail.errors import HandrailError
from handrail.retrieve import Retriever
from handrail.retrieve.deep import Corrector, Layer
from handrail.stores.tokens import STOP, words
from handrail.types import Evidence, Probe, Reading


class CorrectingRetriever(Layer):
    """The best evidence of at most `rounds` further searches; `exhausted` when none reached `enough`."""

    def __init__(
        self,
        inner: Retriever,
        corrector: Corrector,
        score: Callable[[Evidence], float],
        enough: float,
        rounds: int,
    ) -> None:
        super().__init__(inner)
        self._corrector = corrector
        self._score = score
        self._enough = enough
        self._rounds = rounds

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        best = await self._inner.retrieve(query, filters, probe, reading)
        tried = [query]
        for _ in range(self._rounds):
            if self._score(best) >= self._enough:
                return best
            try:
                wording = await self._corrector.again(query, best, tried)
            except HandrailError:
                wording = None
            if wording is None or wording in tried:
                break
            tried.append(wording)
            found = await self._inner.retrieve(wording, filters)
            best = max((best, found), key=self._score)
        return replace(best, exhausted=self._score(best) < self._enough)


class PlainWords:
    """A Corrector without a model: first the bare content words, then these with the nearest article's title."""

    async def again(self, query: str, evidence: Evidence, tried: Sequence[str]) -> str | None:
        content = " ".join(word for word in words(query) if word not in STOP)
        title = evidence.hits[0].passage.title if evidence.hits else ""
        wordings = (content, f"{title} {content}".strip())
        return next((wording for wording in wordings if wording and wording not in tried), None)
