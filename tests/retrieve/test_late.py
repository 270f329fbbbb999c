"""Late interaction over hits: the order, the share it decides, and its signals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from handrail.models.batching import Batcher
from handrail.retrieve.late import LateInteraction
from handrail.stores.states import States
from handrail.types import Hit, Passage, Vectors

pytestmark = pytest.mark.anyio

WORDS = ("refund", "days", "order", "bakery")
TEXTS = ["refund days", "refund order", "bakery", "order"]


def vectors(text: str) -> Vectors:
    return np.stack([np.eye(4, dtype=np.float32)[WORDS.index(word)] for word in text.split()])


def hit(row: int, fused: float) -> Hit:
    passage = Passage(f"a{row}/0", f"a{row}", 0, "", (), TEXTS[row], "", 2)
    return Hit(passage, fused=fused, final=fused)


@pytest.fixture
def asker() -> Iterator[Batcher[str, Vectors]]:
    def encode(texts: Sequence[str]) -> list[Vectors]:
        return [vectors(text) for text in texts]

    batcher: Batcher[str, Vectors] = Batcher("late", encode, 8, 8)
    yield batcher
    batcher.close()


def late(asker: Batcher[str, Vectors], weight: float) -> LateInteraction:
    held = States([(vectors(text) * 127).astype(np.int8) for text in TEXTS])
    return LateInteraction(asker, held, {f"a{row}/0": row for row in range(4)}, weight)


async def test_the_passage_with_a_place_for_every_word_comes_up(asker: Batcher[str, Vectors]) -> None:
    hits = [hit(1, 0.9), hit(0, 0.7), hit(2, 0.6)]

    leaned = await late(asker, 0.5).lean("refund days", hits)

    assert [found.passage.id for found in leaned] == ["a0/0", "a1/0", "a2/0"]
    assert [found.late for found in leaned] == pytest.approx([1, 0.5, 0])
    assert leaned[0].fused == leaned[0].final == pytest.approx(0.85)
    assert all(0 <= found.fused <= 1 for found in leaned)


async def test_a_small_share_leaves_a_clear_order(asker: Batcher[str, Vectors]) -> None:
    leaned = await late(asker, 0.1).lean("refund days", [hit(1, 0.9), hit(0, 0.3)])

    assert [found.passage.id for found in leaned] == ["a1/0", "a0/0"]


async def test_one_hit_and_none(asker: Batcher[str, Vectors]) -> None:
    (only,) = await late(asker, 0.5).lean("refund days", [hit(2, 0.4)])

    assert only.late == 0
    assert 0 <= only.fused <= 1
    assert await late(asker, 0.5).lean("refund days", []) == []
