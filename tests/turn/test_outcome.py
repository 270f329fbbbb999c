"""What each routing says, links to and offers."""

from __future__ import annotations

import pytest

from handrail.turn import outcome
from handrail.types import (
    Card,
    Citation,
    Claim,
    Draft,
    Hit,
    Label,
    Offer,
    Outcome,
    Piece,
    RefusalReason,
    Routing,
    Source,
    Verdict,
)
from tests.stages import WORDING, passage

CITED = tuple(
    Citation(index, passage(id_, "Text.", title=title), 0.9, "supported")
    for index, (id_, title) in enumerate(
        [("domains:a/1", "A"), ("domains:a/4", "A"), ("domains:b/1", "B"), ("domains:c/1", "C")], start=1
    )
)
A, B = (Source(title, f"https://help.example/domains:{title.lower()}") for title in "AB")


@pytest.mark.parametrize(("verdict", "links"), [(Verdict.FULLY, (A, B)), (Verdict.PARTLY, (A,)), (Verdict.CANNOT, ())])
def test_links_by_verdict_are_two_one_and_none_each_to_another_article(
    verdict: Verdict, links: tuple[Source, ...]
) -> None:
    result = outcome.answered("Text [1].", verdict, CITED, 0.9)

    assert result.sources == links
    assert result.citations == CITED


def test_a_full_answer_offers_nobody_and_a_partial_one_a_link() -> None:
    full, partial = (outcome.answered("Text.", verdict, CITED, 0.9) for verdict in (Verdict.FULLY, Verdict.PARTLY))

    assert (full.routing, full.escalation.offer) == (Routing.ANSWERED, Offer.NONE)
    assert (partial.routing, partial.escalation.offer) == (Routing.PARTIALLY_ANSWERED, Offer.LINK)
    assert not full.refused
    assert not partial.refused


NOT_ANSWERS = {
    "nonsense": (outcome.static(Label.NONSENSE, WORDING), RefusalReason.NO_INTENT, Offer.NONE),
    "irrelevant": (outcome.static(Label.IRRELEVANT, WORDING), RefusalReason.OFF_TOPIC, Offer.NONE),
    "out of scope": (outcome.static(Label.OUT_OF_SCOPE, WORDING), RefusalReason.POLICY, Offer.BUTTON),
    "a person": (outcome.static(Label.OUT_OF_SCOPE, WORDING, rule="person"), RefusalReason.POLICY, Offer.BUTTON),
    "followup": (outcome.followup(WORDING, [], 0.2), RefusalReason.NO_RELEVANT_CONTEXT, Offer.NONE),
    "cannot answer": (
        outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, WORDING, 0.1),
        RefusalReason.LOW_EVIDENCE,
        Offer.BUTTON,
    ),
    "withdrawn": (
        outcome.cannot_answer(RefusalReason.INVALID_CITATIONS, WORDING, 0.1),
        RefusalReason.INVALID_CITATIONS,
        Offer.BUTTON,
    ),
    "unavailable": (outcome.unavailable(WORDING), RefusalReason.PROVIDER_UNAVAILABLE, Offer.BUTTON),
    "budget": (
        outcome.unavailable(WORDING, RefusalReason.BUDGET_EXHAUSTED),
        RefusalReason.BUDGET_EXHAUSTED,
        Offer.BUTTON,
    ),
}


@pytest.mark.parametrize(("result", "reason", "offer"), NOT_ANSWERS.values(), ids=NOT_ANSWERS.keys())
def test_what_is_not_an_answer_says_why_and_links_to_nothing(
    result: Outcome, reason: RefusalReason, offer: Offer
) -> None:
    assert result.refused
    assert result.refusal_reason is reason
    assert result.escalation.offer is offer
    assert result.answer
    assert (result.sources, result.citations) == ((), ())


def test_a_withdrawn_answer_is_not_called_missing_from_the_articles() -> None:
    missing = outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, WORDING, 0.1)
    withdrawn = outcome.cannot_answer(RefusalReason.UNSUPPORTED_CLAIMS, WORDING, 0.1)

    assert missing.answer != withdrawn.answer


@pytest.mark.parametrize(
    ("label", "chips"), [(Label.NONSENSE, ("Billing",)), (Label.IRRELEVANT, ("Billing",)), (Label.OUT_OF_SCOPE, ())]
)
def test_topics_are_offered_where_another_question_helps(label: Label, chips: tuple[str, ...]) -> None:
    assert outcome.static(label, WORDING, ["Billing"]).suggestions == chips


def test_a_static_reply_speaks_for_the_brand() -> None:
    assert "Acme" in outcome.static(Label.IRRELEVANT, WORDING).answer


def test_low_confidence_sets_a_disclaimer_apart_and_links_to_nothing() -> None:
    result = outcome.low_confidence("Text [1].", CITED, 0.4, WORDING)

    assert result.routing is Routing.LOW_CONFIDENCE
    assert result.disclaimer == WORDING.say("low_confidence")
    assert result.disclaimer not in result.answer
    assert result.sources == ()
    assert not result.refused


WATER = Piece("Water early.", "Water the beds", "By timer", "garden:water/1", "garden:water", "https://help.example/w")
FROST = Piece("Drain the hose.", "Winter", "", "garden:frost/0", "garden:frost", "https://help.example/f")


def test_the_closest_sections_are_shown_without_the_claim_that_one_of_them_answers() -> None:
    given = {one.passage_id: Hit(passage(one.passage_id, one.markdown)) for one in (WATER, FROST)}
    cards = (Card(WATER, open=True), Card(FROST))

    result = outcome.closest(cards, given, 0.4, WORDING)

    assert result.routing is Routing.LOW_CONFIDENCE
    assert result.answer == f"{WORDING.say('closest')}\n\n**Water the beds › By timer**\n\nWater early."
    assert result.disclaimer == WORDING.say("not_sure")
    assert (result.closest, result.sources, result.confidence) == (cards, (), 0.4)
    assert [(one.index, one.passage.id) for one in result.citations] == [(1, WATER.passage_id), (2, FROST.passage_id)]
    assert {one.support for one in result.citations} == {"unverified"}
    assert not result.refused


@pytest.mark.parametrize(("support", "cautious"), [("supported", False), ("unverified", True), ("unsupported", False)])
def test_an_answer_that_is_not_all_proved_says_so_above(support: str, *, cautious: bool) -> None:
    draft = Draft([Claim("True.", ("domains:a/1",), "supported"), Claim("Text.", ("domains:a/1",), support)], "llm")
    answered = outcome.answered("True. Text [1].", Verdict.FULLY, CITED, 0.8)

    told = outcome.proved(answered, draft, 1.0, WORDING)

    assert told.disclaimer == (WORDING.say("unproved") if cautious else None)
    assert (told.routing, told.claims, told.factuality) == (Routing.ANSWERED, tuple(draft.claims), 1.0)


def test_high_stakes_offers_a_person_and_one_link_at_most() -> None:
    result = outcome.high_stakes("Thank you.", CITED, 0.8)

    assert result.escalation.offer is Offer.BUTTON
    assert result.sources == (A,)
    assert not result.refused


@pytest.mark.parametrize("rule", ["greeting", "thanks", "yes", "no", "chat"])
def test_a_greeting_has_words_of_its_own(rule: str) -> None:
    found = outcome.static(Label.IRRELEVANT, WORDING, ["Billing"], rule)

    assert found.answer == WORDING.say(rule) != WORDING.say("irrelevant")
    assert found.suggestions == ("Billing",)
