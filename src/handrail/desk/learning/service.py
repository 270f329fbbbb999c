"""Gaps over a range of time: read, embedded once per wording, grouped, and kept until something changes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from handrail.desk.learning.gaps import Asked, Gap, find_gaps
from handrail.desk.learning.library import Library
from handrail.records.digests import digest
from handrail.records.learning import LearningRecords
from handrail.types import Vectors

EMBED_AT_ONCE = 64
MOST_KEPT = 16


class Gaps:
    """Gaps of one tenant."""

    def __init__(self, records: LearningRecords, library: Library, clock: Callable[[], float]) -> None:
        self._records = records
        self._library = library
        self._clock = clock
        self._kept: dict[str, list[Gap]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def between(self, start: float, end: float) -> list[Gap]:
        """The most asked first. Raises RetryableError while the models are loading or busy."""
        asked = await self._records.asked(start, end)
        if not asked:
            return []
        shelf = self._library.shelf()
        key = _key(asked, id(shelf.vectors))
        async with self._one_at_a_time:
            if key not in self._kept:
                vectors = await self._vectors([one.question for one in asked])
                gaps = await asyncio.to_thread(find_gaps, asked, vectors, shelf)
                while len(self._kept) >= MOST_KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[key] = gaps
        return self._kept[key]

    async def _vectors(self, questions: Sequence[str]) -> Vectors:
        """`(n, d)`; only wordings that were never seen are embedded, in small pieces so that visitors do not wait."""
        name = self._library.embedder_name()
        texts = {digest(question): question for question in questions}
        known = await self._records.vectors(name, list(texts))
        missing = [key for key in texts if key not in known]
        for start in range(0, len(missing), EMBED_AT_ONCE):
            keys = missing[start : start + EMBED_AT_ONCE]
            made = await self._library.embed_questions([texts[key] for key in keys])
            new = dict(zip(keys, made, strict=True))
            await self._records.keep_vectors(name, new, self._clock())
            known |= new
        return np.stack([known[digest(question)] for question in questions]).astype(np.float32)


def _key(asked: Sequence[Asked], shelf: int) -> str:
    return hashlib.sha256(
        repr((shelf, [(one.turn_id, one.reason, one.handed_off) for one in asked])).encode()
    ).hexdigest()
