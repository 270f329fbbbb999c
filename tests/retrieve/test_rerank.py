"""The cross-encoder's share of the order, and what of a long passage it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from handrail.local_models import Logit
from handrail.local_models.batching import Batcher
from handrail.retrieve.rerank import CrossEncoderRerank, window
from handrail.types import Hit
from tests.stages import passage

pytestmark = pytest.mark.anyio

Pair = tuple[str, str]
Rerank = Callable[..., CrossEncoderRerank]


class WordOverlap:
    """A cross-encoder that counts the query's words in the passage, as logits; keeps the pairs it was given."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        self.pairs += pairs
        return [4.0 * sum(word in text.lower() for word in query.lower().split()) - 4.0 for query, text in pairs]


@pytest.fixture
def model() -> WordOverlap:
    return WordOverlap()


@pytest.fixture
def rerank(model: WordOverlap) -> Iterator[Rerank]:
    batcher = Batcher("rerank", model, 64, 512)
    yield lambda depth, weight, max_words=80: CrossEncoderRerank(batcher, depth, weight, max_words)
    batcher.close()


def hits(*texts: str) -> list[Hit]:
    """Fused scores fall from 1 by a fifth."""
    scores = [1 - n / 5 for n in range(len(texts))]
    return [
        Hit(passage(f"a:{n}/0", text, title="T"), fused=score, final=score)
        for n, (text, score) in enumerate(zip(texts, scores, strict=True))
    ]


async def test_the_blend_lets_a_much_better_reading_win(rerank: Rerank) -> None:
    ranked = await rerank(10, 0.5).rerank("refund customer", hits("Payouts.", "Refund a customer."))

    assert [hit.passage.text for hit in ranked] == ["Refund a customer.", "Payouts."]
    assert [hit.rerank for hit in ranked] == [4.0, -4.0]


class Reads:
    """Scores all alike, and reads that only one text answers."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        return [Logit(1.0, 4.0 if self._text in text else -4.0) for _, text in pairs]


async def test_what_is_read_counts_for_half_of_the_share() -> None:
    batcher = Batcher("read", Reads("after 14 days"), 64, 512)
    given = hits("Refunds are paid to the card.", "Money is back after 14 days.")
    try:
        ranked = await CrossEncoderRerank(batcher, 10, 0.5, 80).rerank("how long do refunds take", given)
        kept = await CrossEncoderRerank(batcher, 10, 0.3, 80).rerank("how long do refunds take", given)
    finally:
        batcher.close()

    assert [hit.passage.id for hit in ranked] == ["a:1/0", "a:0/0"]
    assert [hit.reading for hit in ranked] == [4.0, -4.0]
    assert [hit.passage.id for hit in kept] == ["a:0/0", "a:1/0"]


async def test_without_weight_the_fused_order_stands(rerank: Rerank) -> None:
    ranked = await rerank(10, 0.0).rerank("refund customer", hits("Payouts.", "Refund a customer."))

    assert [hit.final for hit in ranked] == [hit.fused for hit in hits("", "")]


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
async def test_scores_stay_between_zero_and_one_and_fall(rerank: Rerank, weight: float) -> None:
    ranked = await rerank(3, weight).rerank("refund", hits("a", "refund", "b", "refund", "c"))

    finals = [hit.final for hit in ranked]
    assert finals == sorted(finals, reverse=True)
    assert all(0 <= final <= 1 for final in finals)


async def test_what_lies_beyond_the_depth_is_not_scored_and_stays_behind(rerank: Rerank, model: WordOverlap) -> None:
    ranked = await rerank(2, 0.9).rerank("refund", hits("a", "b", "refund", "refund refund"))

    assert len(model.pairs) == 2
    assert [hit.passage.id for hit in ranked[2:]] == ["a:2/0", "a:3/0"]
    assert [hit.rerank for hit in ranked[2:]] == [None, None]


async def test_no_hits_need_no_model(rerank: Rerank, model: WordOverlap) -> None:
    assert await rerank(10, 0.5).rerank("refund", []) == []
    assert model.pairs == []


FILLER = "\n".join(f"{n}. Nothing of interest happens in this step at all." for n in range(1, 40))
STEP = "17. Enter the tracking number of the parcel."


def long_passage(text: str) -> str:
    return window("Where do I enter a tracking number?", passage("a:a/0", text, headings=("Steps",)), 60)


def test_a_short_passage_is_read_whole_under_its_headings() -> None:
    seen = window("anything", passage("a:a/0", "**Open** [Settings](x).", headings=("Steps", "First")), 60)

    assert seen == "Connect a domain: Steps: First\nOpen Settings."


@pytest.mark.parametrize("before", [0, 17, 39])
def test_the_window_holds_the_line_that_shares_the_querys_words(before: int) -> None:
    lines = FILLER.splitlines()

    seen = long_passage("\n".join((*lines[:before], STEP, *lines[before:])))

    assert "Enter the tracking number of the parcel." in seen
    assert seen.startswith("Connect a domain: Steps\n")
    assert len(seen.split()) <= 60


def test_the_window_finds_a_sentence_in_a_long_paragraph() -> None:
    sentences = ["The sky was blue on that day and nobody minded."] * 20
    sentences.insert(12, "You enter the tracking number on the order page.")

    assert "enter the tracking number on the order page." in long_passage(" ".join(sentences))


def test_without_shared_words_the_window_is_the_beginning() -> None:
    assert "\n1. Nothing of interest" in long_passage(FILLER)


def test_headings_longer_than_the_window_leave_one_line() -> None:
    long = passage("a:a/0", "One line.\nAnother line.", title="word " * 80)

    assert window("line", long, 60).splitlines()[-1] == "One line."


def test_a_passage_that_is_only_a_picture_is_read_by_its_title() -> None:
    seen = window("anything", passage("a:a/0", "![](x.png)", title="word " * 80), 60)

    assert seen.split() == ["word"] * 80
