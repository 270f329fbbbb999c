"""How near units are to a question by the vectors of their passages, and what that lets be read."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from handrail.answer.extractive import CANDIDATES, NEAREST, ExtractiveAnswerer
from handrail.answer.nearness import Nearness
from handrail.answer.units import Unit, units
from handrail.local_models.batching import Batcher
from handrail.settings import Generate
from handrail.stores.states import States
from handrail.types import Hit, Passage, Vectors
from tests.stages import WORDING

pytestmark = pytest.mark.anyio

WORDS = ("shop", "refund", "days", "order", "bakery", "card")
WORD = re.compile(r"\w+")


def vectors(text: str) -> Vectors:
    """A direction for each word of `WORDS`; all others have one of their own."""
    rows = np.zeros((len(WORD.findall(text)), len(WORDS) + 1), dtype=np.float32)
    for row, word in zip(rows, WORD.findall(text.lower()), strict=True):
        row[WORDS.index(word) if word in WORDS else -1] = 1
    return rows


def places(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in WORD.finditer(text)]


@pytest.fixture
def asker() -> Iterator[Batcher[str, Vectors]]:
    def encode(texts: Sequence[str]) -> list[Vectors]:
        return [vectors(text) for text in texts]

    batcher: Batcher[str, Vectors] = Batcher("late", encode, 8, 8)
    yield batcher
    batcher.close()


def hit(text: str, name: str = "a") -> Hit:
    return Hit(Passage(f"{name}/0", name, 0, "Shop", ("Money",), text, "", 9), final=0.5)


def nearness(asker: Batcher[str, Vectors], *hits: Hit) -> Nearness:
    codes = [(vectors(one.passage.embedding_text) * 127).astype(np.int8) for one in hits]
    return Nearness(asker, States(codes), {one.passage.id: row for row, one in enumerate(hits)}, places)


TEXT = """A refund takes days.

1. Open the order.
2. Take the card.

| What | When |
| --- | --- |
| Bakery | days |
| Card | never |"""


async def near(asker: Batcher[str, Vectors], query: str, found: Sequence[Unit], *hits: Hit) -> dict[str, float]:
    values = await nearness(asker, *hits).of(query, found)
    assert values is not None
    return {unit.lines[0].splitlines()[0]: float(value) for unit, value in zip(found, values, strict=True)}


async def test_each_word_looks_for_its_place_in_the_unit_alone(asker: Batcher[str, Vectors]) -> None:
    one = hit(TEXT)
    found = units([one])

    told = await near(asker, "refund days", found, one)

    assert told["A refund takes days."] == pytest.approx(1)
    assert told["| Bakery | days |"] == pytest.approx(0.5)
    assert told["| Card | never |"] == pytest.approx(0)
    assert (await near(asker, "order card", found, one))["1. Open the order."] == pytest.approx(1)
    assert (await near(asker, "shop", found, one))["A refund takes days."] == pytest.approx(0)


async def test_a_unit_without_vectors_is_as_near_as_the_others(asker: Batcher[str, Vectors]) -> None:
    one, learnt = hit(TEXT), hit("The bakery opens.", "learnt")
    found = [*units([one]), *units([learnt])]

    told = await near(asker, "refund days", found, one)

    known = [value for line, value in told.items() if line != "The bakery opens."]
    assert told["The bakery opens."] == pytest.approx(sum(known) / len(known))
    assert await nearness(asker).of("refund days", found) is None


async def test_what_is_beyond_the_vectors_of_a_long_passage_is_no_error(asker: Batcher[str, Vectors]) -> None:
    one = hit(TEXT)
    short = States([(vectors("shop money a refund takes days") * 127).astype(np.int8)])
    found = units([one])

    values = await Nearness(asker, short, {"a/0": 0}, places).of("refund days", found)

    assert values is not None and values[0] == pytest.approx(1) and set(values.tolist()) == {1.0}


async def test_a_busy_encoder_costs_no_answer() -> None:
    free = threading.Event()

    def slow(texts: Sequence[str]) -> list[Vectors]:
        free.wait()
        return [vectors(text) for text in texts]

    busy: Batcher[str, Vectors] = Batcher("late", slow, 8, queue_limit=1)
    try:
        other = asyncio.create_task(busy.submit(["card"]))
        await asyncio.sleep(0)

        assert await nearness(busy, hit(TEXT)).of("refund days", units([hit(TEXT)])) is None

        free.set()
        await other
        assert await nearness(busy, hit(TEXT)).of("refund days", units([hit(TEXT)])) is not None
    finally:
        free.set()
        busy.close()


async def test_what_is_near_is_read_though_it_shares_no_word_and_stands_last(asker: Batcher[str, Vectors]) -> None:
    """The cross-encoder is asked about so many units only; `money back` has its meaning in the last one."""
    sentences = [f"The parcel is number {n}." for n in range(CANDIDATES + 6)]
    one = hit(" ".join([*sentences, "We refund within days."]))
    found = units([one])
    read: list[str] = []

    def logits(pairs: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(text for _, text in pairs)
        return [5.0 if "refund" in text else -5.0 for _, text in pairs]

    def like(texts: Sequence[str]) -> list[Vectors]:
        return [vectors("refund days") for _ in texts]

    scorer: Batcher[tuple[str, str], float] = Batcher("rerank", logits, 64, 512)
    asks: Batcher[str, Vectors] = Batcher("late", like, 8, 8)
    try:
        plain = ExtractiveAnswerer(scorer, Generate(), WORDING, None)
        without = await plain.score("money back for the parcel", found)
        assert len(read) == CANDIDATES
        read.clear()
        helped = ExtractiveAnswerer(scorer, Generate(), WORDING, None, near=nearness(asks, one))
        scored = await helped.score("money back for the parcel", found)
    finally:
        scorer.close()
        asks.close()

    assert "refund" not in without[0].unit.lines[0]
    assert scored[0].unit.lines == ("We refund within days.",)
    assert len(read) == NEAREST
