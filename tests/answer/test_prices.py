"""What something costs, before what is cheaper than what."""

from __future__ import annotations

import pytest

from handrail.answer.prices import POINTS_AMOUNT, POINTS_BESIDE, POINTS_SPECIAL, price_points
from tests.generate.answering import answer, scorer_of, texts
from tests.generate.articles import evidence
from tests.knowledge.articles import article

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("question", "text", "above", "points"),
    [
        ("what does Studio cost", "Studio costs EUR 32 a month.", "Plans", POINTS_AMOUNT),
        ("how much is the Studio plan", "Studio: 32 € a month.", "Plans", POINTS_AMOUNT),
        ("what does Studio cost", "Solo costs EUR 14 a month.", "Plans", 0.0),
        ("what does Studio cost", "Studio has five seats.", "Plans", 0.0),
        ("what does Studio cost", "Studio costs less than Solo and EUR 5.", "Plans", POINTS_BESIDE),
        ("price of Studio", "Studio costs EUR 22 a month.", "Non-profit discount", POINTS_SPECIAL + POINTS_AMOUNT),
        ("price of Studio with the discount", "A discount: Studio costs EUR 22.", "Discount", POINTS_AMOUNT),
        ("is Studio cheaper than Solo", "Studio costs less than Solo.", "Plans", 0.0),
        ("how much is left of Studio", "Studio is less than EUR 32.", "Plans", 0.0),
        ("how do I change to Studio", "Studio costs EUR 32 a month.", "Plans", 0.0),
        ("how much storage has Studio", "Studio costs EUR 32 a month.", "Plans", 0.0),
    ],
)
def test_points_are_for_the_amount_of_what_is_named(question: str, text: str, above: str, points: float) -> None:
    assert price_points(question, text, above) == points


async def test_the_price_comes_before_the_sum_that_is_done_with_it() -> None:
    knows = scorer_of({"less than": 2.0, "32": 1.0})
    compared = article("Studio costs less than Solo from EUR 900 of sales.", title="Which plan is for you")
    priced = article("Studio costs EUR 32 a month.", "b:b", title="Our plans")

    asked = await answer(knows, evidence("what does Studio cost", compared, priced), max_sentences=1)
    chosen = await answer(knows, evidence("when is Studio cheaper", compared, priced), max_sentences=1)
    knows.close()

    assert texts(asked)[0].endswith("Studio costs EUR 32 a month.")
    assert texts(chosen)[0].endswith("from EUR 900 of sales.")
