"""Charging customers and closing for a holiday are no serious matters; one's own plan and money are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.assembly import Parts, build_parts
from handrail.settings import Models
from handrail.types import Label
from handrail.understand.classify.head import load_head
from handrail.understand.classify.local import LocalClassifier
from handrail.understand.classify.trading import runs_his_business
from tests.sample import sample_settings
from tests.stages import ask


@pytest.fixture(scope="module")
def built(sample_index: Path) -> Iterator[Parts]:
    built = build_parts(sample_settings(sample_index, MODELS__RERANKER="none"))
    yield built
    built.close()


@pytest.mark.parametrize(
    "text",
    [
        "i want to charge for no shows",
        "We want to charge customers who cancel late",
        "I'd like to charge a deposit.",
        "i need to close for two weeks in august",
        "we're closed over christmas",
        "we are closing our salon for a week",
        "I have to close early on Friday",
    ],
)
def test_who_charges_customers_or_closes_for_a_while_runs_his_business(text: str) -> None:
    assert runs_his_business(text)


@pytest.mark.parametrize(
    "text",
    [
        "i want to close my account",
        "i need to close for good",
        "we are closing our business for good in august",
        "we close on friday, cancel my plan",
        "i was charged for a no show",
        "i want to charge back the payment you took",
        "i want to charge you for the damage",
        "i want to charge customers but your system took my money twice",
        "we have been closed for two weeks because of you",
        "how do i close for two weeks",
    ],
)
def test_what_is_between_him_and_the_company_is_something_else(text: str) -> None:
    assert not runs_his_business(text)


@pytest.mark.models
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("i want to charge for no shows", Label.ANSWERABLE),
        ("i need to close for two weeks in august", Label.ANSWERABLE),
        ("i want to close my account", Label.HIGH_STAKES),
        ("you charged me for a no show", Label.HIGH_STAKES),
    ],
)
async def test_only_what_is_between_him_and_the_company_is_for_a_person(
    built: Parts, sample_index: Path, text: str, label: Label
) -> None:
    probe = await built.retriever(sample_settings(sample_index, MODELS__RERANKER="none")).probe(text)

    found = await LocalClassifier(load_head(None, Models().embedder), 0.6).classify(ask(text), probe)

    assert found.label is label
