"""The sections that are read beside a question, how likely each answers, and what of a long one is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import pytest

from handrail.models import Logit
from handrail.models.batching import Batcher
from handrail.retrieve.section_reader import PER_PASSAGE, SectionReader, reordered, window
from handrail.stores import snapshot as snapshots
from handrail.stores.snapshot import Snapshot
from handrail.types import Candidate, Hit, Passage, Section
from tests.calibrations import gate_of
from tests.knowledge.articles import article, chunker
from tests.retrieve.section_reader import Pair, WordOverlap, reader
from tests.stages import passage, section_of

pytestmark = pytest.mark.anyio

REFUND = passage("a:refund/0", "Choose Refund and confirm.", title="Refund a customer")
PAYOUT = passage("a:payout/0", "Payouts arrive weekly.", title="Payouts")
STOCK = passage("a:stock/0", "Stock counts down.", title="Stock")


def index(*passages: Passage) -> Snapshot:
    return snapshots.build(list(passages), np.eye(len(passages), dtype=np.float32))


def hits(*passages: Passage) -> list[Hit]:
    """Fused scores fall from 1 by a fifth."""
    return [Hit(one, fused=1 - n / 5, final=1 - n / 5) for n, one in enumerate(passages)]


def flat(held: Snapshot) -> np.ndarray:
    return np.zeros(len(held.passages), dtype=np.float32)


@pytest.fixture
def model() -> WordOverlap:
    return WordOverlap()


@pytest.fixture
def scores(model: WordOverlap) -> Iterator[Batcher[Pair, float]]:
    with closing(Batcher("read", model, 64, 512)) as batcher:
        yield batcher


async def test_the_section_that_says_it_comes_first_with_a_probability(scores: Batcher[Pair, float]) -> None:
    held = index(PAYOUT, REFUND, STOCK)

    found = await reader(held, scores).read("refund customer", hits(PAYOUT, REFUND, STOCK), flat(held))

    assert [one.section.article_id for one in found] == ["a:refund", "a:payout", "a:stock"]
    assert [round(one.probability, 2) for one in found] == [0.88, 0.12, 0.12]
    assert found[0].signals["reading"] == 2.0


async def test_what_was_taught_to_tell_that_a_text_answers_is_among_the_signals(model: WordOverlap) -> None:
    held = index(PAYOUT, REFUND)

    def logits(pairs: Sequence[Pair]) -> list[float]:
        return [Logit(0.0, 3.0 if "weekly" in text else -3.0) for _, text in pairs]

    with closing(Batcher("read", logits, 64, 512)) as read:
        by_reading = SectionReader(held, read, 10, 80, gate_of({"reading": 1.0}))
        found = await by_reading.read("when do I get paid", hits(REFUND, PAYOUT), flat(held))

    assert [one.section.title for one in found] == ["Payouts", "Refund a customer"]
    assert [one.signals["reading"] for one in found] == [3.0, -3.0]


async def test_no_more_sections_are_read_than_the_settings_say(
    scores: Batcher[Pair, float], model: WordOverlap
) -> None:
    held = index(PAYOUT, STOCK, REFUND)

    found = await reader(held, scores, depth=2).read("refund", hits(PAYOUT, STOCK, REFUND), flat(held))

    assert len(model.pairs) == len(found) == 2


async def test_the_sections_of_one_passage_are_told_apart_and_those_that_share_most_words_are_read(
    scores: Batcher[Pair, float],
) -> None:
    body = "\n\n".join(f"## {name}\n\nIt says {name}." for name in ("Move", "Renew", "Refund", "Split", "Join"))
    passages = chunker().passages(article(f"# All\n\n{body}".replace("## ", "### ").replace("# All", "## All")))
    held = index(*passages)

    found = await reader(held, scores).read("how do I get a refund", hits(*passages), flat(held))

    assert len(passages) == 1
    assert len(found) == PER_PASSAGE
    assert found[0].section.headings == ("All", "Refund")


async def test_a_section_is_read_once_however_many_of_its_passages_were_found(
    scores: Batcher[Pair, float], model: WordOverlap
) -> None:
    steps = "\n".join(f"{n}. Open page {n} of the settings and choose option {n}." for n in range(1, 20))
    passages = chunker(split_above_tokens=60).passages(article(f"## Move\n\n{steps}"))
    held = index(*passages)

    [found] = await reader(held, scores).read("open page 17", hits(*reversed(passages)), flat(held))

    assert len(passages) > 2
    assert len(model.pairs) == 1
    assert found.section.passage_ids == tuple(one.id for one in passages)
    assert found.section.text == steps


async def test_what_is_under_discussion_is_read_whatever_its_rank(scores: Batcher[Pair, float]) -> None:
    held = index(PAYOUT, STOCK, REFUND)

    found = await reader(held, scores, depth=1).read("refund", hits(PAYOUT, STOCK), flat(held), [REFUND])

    assert {one.section.article_id for one in found} == {"a:payout", "a:refund"}


async def test_without_a_model_the_other_signals_decide() -> None:
    held = index(PAYOUT, REFUND)

    found = await reader(held, None).read("refund a customer", hits(REFUND, PAYOUT), flat(held))

    assert [one.section.article_id for one in found] == ["a:refund", "a:payout"]
    assert {one.signals["reading"] for one in found} == {0.0}


async def test_nothing_found_needs_no_model(scores: Batcher[Pair, float], model: WordOverlap) -> None:
    held = index(PAYOUT)

    assert await reader(held, scores).read("refund", [], flat(held)) == []
    assert model.pairs == []


def candidate(probability: float, *held: Passage) -> Candidate:
    return Candidate(section_of(*held), probability)


def test_passages_of_the_likeliest_sections_come_first_and_the_others_keep_their_order() -> None:
    late = passage("a:refund/1", "It takes a day.")
    found = hits(STOCK, PAYOUT, late, REFUND)

    ranked = reordered(found, [candidate(0.7, REFUND, late), candidate(0.1, PAYOUT)])

    assert [hit.passage.id for hit in ranked] == [REFUND.id, late.id, PAYOUT.id, STOCK.id]
    assert [hit.final for hit in ranked] == [0.7, 0.7, 0.1, 0.1]


def test_where_nothing_was_read_the_order_of_the_search_stands() -> None:
    found = hits(STOCK, PAYOUT)

    assert reordered(found, []) == found


FILLER = "\n".join(f"{n}. Nothing of interest happens in this step at all." for n in range(1, 40))
STEP = "17. Enter the tracking number of the parcel."


def section(text: str, *, title: str = "Connect a domain", headings: tuple[str, ...] = ("Steps",)) -> Section:
    return section_of(passage("a:a/0", text, title=title, headings=headings))


def seen(text: str) -> str:
    return window("Where do I enter a tracking number?", section(text), 60)


def test_a_short_section_is_read_whole_under_its_headings() -> None:
    shown = window("anything", section("**Open** [Settings](x).", headings=("Steps", "First")), 60)

    assert shown == "Connect a domain: Steps: First\nOpen Settings."


@pytest.mark.parametrize("before", [0, 17, 39])
def test_the_window_holds_the_line_that_shares_the_querys_words(before: int) -> None:
    lines = FILLER.splitlines()

    shown = seen("\n".join((*lines[:before], STEP, *lines[before:])))

    assert "Enter the tracking number of the parcel." in shown
    assert shown.startswith("Connect a domain: Steps\n")
    assert len(shown.split()) <= 60


def test_the_window_finds_a_sentence_in_a_long_paragraph() -> None:
    sentences = ["The sky was blue on that day and nobody minded."] * 20
    sentences.insert(12, "You enter the tracking number on the order page.")

    assert "enter the tracking number on the order page." in seen(" ".join(sentences))


def test_without_shared_words_the_window_is_the_beginning() -> None:
    assert "\n1. Nothing of interest" in seen(FILLER)


def test_headings_longer_than_the_window_leave_one_line() -> None:
    long = section("One line.\nAnother line.", title="word " * 80)

    assert window("line", long, 60).splitlines()[-1] == "One line."


def test_a_section_that_is_only_a_picture_is_read_by_its_title() -> None:
    shown = window("anything", section("![](x.png)", title="word " * 80, headings=()), 60)

    assert shown.split() == ["word"] * 80
