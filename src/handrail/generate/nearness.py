"""How near the words of a unit are to those of a question, by the vectors that late interaction keeps of its passage.

The vectors were made when the passage was indexed, each with the whole passage in view, so that a unit is compared for
the price of a product of matrices (Khattab and Zaharia 2020; experiment 209).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from handrail.errors import RetryableError
from handrail.generate.units import Unit
from handrail.local_models.batching import Batcher
from handrail.stores.states import States
from handrail.types import Passage, Vectors

Places = Callable[[str], Sequence[tuple[int, int]]]
"""Of a passage as encoders read it, where each of its vectors begins and ends in it; empty for marks of their own."""
PASSAGES_KEPT = 512
RULE = set("|-: ")
"""What the line between a table's header and its rows is made of."""


class Nearness:
    """`rows` are places in the index by passage id."""

    def __init__(self, ask: Batcher[str, Vectors], states: States, rows: Mapping[str, int], places: Places) -> None:
        self._ask = ask
        self._states = states
        self._rows = rows
        self._places = lru_cache(maxsize=PASSAGES_KEPT)(lambda text: np.asarray(places(text), dtype=int).reshape(-1, 2))

    async def of(self, query: str, found: Sequence[Unit]) -> NDArray[np.float32] | None:
        """`(units,)`: the mean over the question's tokens of each one's greatest cosine to one of the unit's.

        A unit that has no vectors is as near as the others are on average. None where no unit has any, or the encoder
        is too busy to read the question.
        """
        try:
            asked = (await self._ask.submit([query]))[0]
        except RetryableError:
            return None
        cosines: dict[str, NDArray[np.float32]] = {}
        near = np.full(len(found), np.nan, dtype=np.float32)
        for place, unit in enumerate(found):
            passage = unit.hit.passage
            row = self._rows.get(passage.id)
            if row is None:
                continue
            if passage.id not in cosines:
                cosines[passage.id] = self._states.cosines(asked, row)
            mine = self._mine(unit, len(cosines[passage.id]))
            if mine.any():
                near[place] = cosines[passage.id][mine].max(axis=0).mean()
        if np.isnan(near).all():
            return None
        return np.where(np.isnan(near), np.nanmean(near), near)

    def _mine(self, unit: Unit, vectors: int) -> NDArray[np.bool_]:
        """`(vectors,)`: which of its passage's are of the unit."""
        begin, end = self._places(unit.hit.passage.embedding_text)[:vectors].T
        mine = np.zeros(vectors, dtype=bool)
        for first, last in _stretches(unit, unit.hit.passage):
            mine[: len(begin)] |= (begin >= first) & (end <= last) & (end > begin)
        return mine


def _stretches(unit: Unit, passage: Passage) -> Iterator[tuple[int, int]]:
    """Where each of its lines begins and ends in the passage as encoders read it."""
    before = len(passage.embedding_text) - len(passage.text)
    for line in "\n".join(unit.lines).splitlines():
        bare = line.strip()
        at = passage.text.find(bare)
        if at >= 0 and not set(bare) <= RULE:
            yield before + at, before + at + len(bare)
