"""Quotations whose citation names the passage beside them."""

from __future__ import annotations

from handrail.answer.recite import cited_where_said
from handrail.types import Claim, Passage
from tests.stages import passage

PLANS = passage("billing/1", "Yearly plans cost less. You can change your plan at any time.")
INVOICES = passage("billing/2", "Invoices are sent on the first of the month.\n\n1. Choose a plan.")
GIVEN = (PLANS, INVOICES)


def cited(text: str, *ids: str, given: tuple[Passage, ...] = GIVEN) -> tuple[str, ...]:
    return cited_where_said(Claim(text, ids), given).passage_ids


def test_a_quotation_is_cited_where_it_stands() -> None:
    assert cited("You can change your plan at any time.", "billing/2") == ("billing/1",)
    assert cited("Invoices are sent on the first of the **month**.", "billing/1") == ("billing/2",)


def test_one_that_its_own_passage_states_keeps_its_citations() -> None:
    assert cited("You can change your plan at any time.", "billing/2", "billing/1") == ("billing/2", "billing/1")


def test_what_no_passage_states_word_for_word_keeps_its_citation() -> None:
    assert cited("You can change your plan once a year.", "billing/2") == ("billing/2",)
    assert cited("You can change your plan at any time, free of charge.", "billing/2") == ("billing/2",)


def test_a_few_words_are_no_quotation() -> None:
    assert cited("Choose a plan.", "billing/1") == ("billing/1",)


def test_what_cites_nothing_or_something_unknown_is_not_saved_by_it() -> None:
    assert cited("You can change your plan at any time.") == ()
    assert cited("You can change your plan at any time.", "billing/9") == ("billing/9",)
