"""One turn through scripted stages: what each of them decides, and what the turn does when one of them fails."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from handrail.errors import BudgetExhausted, PermanentError, RetryableError
from handrail.types import (
    Claim,
    Critique,
    Draft,
    Evidence,
    Label,
    Offer,
    RefusalReason,
    Routing,
    Verdict,
)
from tests.stages import (
    DRAFT,
    EVIDENCE,
    STEPS,
    WORDING,
    Answers,
    Calibrates,
    Classifies,
    Critiques,
    Retrieves,
    Rewrites,
    ask,
    pipeline,
    says,
    stages,
)

pytestmark = pytest.mark.anyio

AWAY = RetryableError("the provider is away")
FAILURES = [AWAY, PermanentError("the key is wrong"), BudgetExhausted("spent")]


async def test_an_answer_carries_its_evidence_and_how_it_came_about() -> None:
    turn = await pipeline(stages()).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer == "Open Settings and choose Domains [1]."
    assert [(citation.index, citation.passage) for citation in turn.outcome.citations] == [(1, STEPS)]
    assert turn.outcome.confidence == 0.8
    assert (turn.provider, turn.model, turn.retrieved) == ("scripted", "m-1", 2)
    assert turn.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert set(turn.latency_ms) == {"classify", "retrieve", "generate", "critique", "total"}


@pytest.mark.parametrize("label", [Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE])
async def test_a_static_label_is_answered_without_search_or_model(label: Label) -> None:
    retriever, answerer, rewriter = Retrieves(EVIDENCE), Answers(DRAFT), Rewrites("unused")
    chosen = stages(classifier=says(label), retriever=retriever, answerer=answerer, rewriter=rewriter)

    turn = await pipeline(chosen, topics=["Billing"]).run(ask())

    assert turn.outcome.routing.value == label.value
    assert turn.outcome.refused
    assert (turn.provider, turn.retrieved) == ("static", 0)
    assert retriever.calls == answerer.calls == rewriter.calls == []


@pytest.mark.parametrize("error", FAILURES)
async def test_a_failing_classifier_is_replaced_by_the_fallback(error: Exception) -> None:
    turn = await pipeline(stages(classifier=Classifies(error))).run(ask())

    assert turn.classification.by == "fallback"
    assert turn.outcome.routing is Routing.ANSWERED


@pytest.mark.parametrize("error", FAILURES)
async def test_a_failing_rewriter_leaves_the_original_question(error: Exception) -> None:
    retriever = Retrieves(EVIDENCE)

    turn = await pipeline(stages(rewriter=Rewrites(error), retriever=retriever)).run(ask("and after that?"))

    [(query, _, probe)] = retriever.calls
    assert query == "and after that?"
    assert probe is not None
    assert turn.outcome.routing is Routing.ANSWERED


async def test_a_rewritten_question_is_searched_for_with_an_embedding_of_its_own() -> None:
    retriever = Retrieves(EVIDENCE)
    question = ask("and mailboxes?", filters={"section": "domains"})

    await pipeline(stages(rewriter=Rewrites("How do I add mailboxes?"), retriever=retriever)).run(question)

    assert retriever.calls == [("How do I add mailboxes?", {"section": "domains"}, None)]


@pytest.mark.parametrize("error", FAILURES)
async def test_a_failing_answerer_is_replaced_by_the_extractive_one(error: Exception) -> None:
    turn = await pipeline(stages(answerer=Answers(error))).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert (turn.provider, turn.model) == ("extractive", None)


async def test_without_any_answerer_the_turn_is_unavailable_and_a_person_is_offered() -> None:
    turn = await pipeline(stages(answerer=Answers(AWAY), fallback_answerer=None)).run(ask())

    assert turn.outcome.routing is Routing.UNAVAILABLE
    assert turn.outcome.refusal_reason is RefusalReason.PROVIDER_UNAVAILABLE
    assert turn.outcome.escalation.offer is Offer.BUTTON


@pytest.mark.slow
async def test_a_hanging_answerer_leaves_time_for_the_fallback() -> None:
    answerer = Answers(DRAFT, hangs=True)

    turn = await pipeline(stages(answerer=answerer), deadline_s=4).run(ask())

    assert turn.provider == "extractive"
    assert turn.outcome.routing is Routing.ANSWERED
    assert answerer.cancelled


@pytest.mark.slow
async def test_a_provider_that_hangs_at_every_stage_still_leaves_an_answer() -> None:
    chosen = stages(
        classifier=Classifies(AWAY, hangs=True),
        rewriter=Rewrites("unused", hangs=True),
        answerer=Answers(DRAFT, hangs=True),
        critic=Critiques(Critique(Verdict.FULLY), hangs=True),
    )

    turn = await pipeline(chosen, deadline_s=4).run(ask())

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert (turn.classification.by, turn.provider) == ("fallback", "extractive")


@pytest.mark.slow
async def test_a_search_that_hangs_ends_with_the_turn() -> None:
    start = time.monotonic()

    turn = await pipeline(stages(retriever=Retrieves(EVIDENCE, hangs=True)), deadline_s=1).run(ask())

    assert 0.9 < time.monotonic() - start < 30
    assert turn.outcome.routing is Routing.UNAVAILABLE


async def test_a_store_that_does_not_answer_makes_the_turn_unavailable() -> None:
    turn = await pipeline(stages(retriever=Retrieves(AWAY))).run(ask())

    assert turn.outcome.routing is Routing.UNAVAILABLE
    assert turn.classification.label is Label.ANSWERABLE
    assert turn.outcome.answer == WORDING.say("unavailable")


async def test_irrelevant_evidence_asks_back_and_names_the_nearest_articles() -> None:
    answerer = Answers(DRAFT)

    turn = await pipeline(stages(calibrator=Calibrates(0.39), answerer=answerer)).run(ask())

    assert turn.outcome.routing is Routing.FOLLOWUP
    assert turn.outcome.refusal_reason is RefusalReason.NO_RELEVANT_CONTEXT
    assert turn.outcome.suggestions == ("Connect a domain", "DNS records")
    assert turn.outcome.citations == ()
    assert answerer.calls == []


async def test_nothing_found_asks_back_whatever_the_calibration_says() -> None:
    turn = await pipeline(stages(retriever=Retrieves(Evidence("", ())))).run(ask())

    assert turn.outcome.routing is Routing.FOLLOWUP
    assert turn.outcome.answer == WORDING.say("followup")


async def test_a_critique_that_finds_no_answer_withdraws_it() -> None:
    turn = await pipeline(stages(critic=Critiques(Critique(Verdict.CANNOT, 0.1)))).run(ask())

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.LOW_EVIDENCE
    assert turn.outcome.citations == ()
    assert turn.outcome.confidence == 0.1


async def test_a_partial_answer_is_labelled_so() -> None:
    turn = await pipeline(stages(critic=Critiques(Critique(Verdict.PARTLY, 0.7)))).run(ask())

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.escalation.offer is Offer.LINK


async def test_a_failing_critic_makes_an_answer_partial_at_most() -> None:
    turn = await pipeline(stages(critic=Critiques(AWAY))).run(ask())

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.confidence == 0.9


@pytest.mark.parametrize(("own", "routing"), [(None, Routing.ANSWERED), (Verdict.PARTLY, Routing.PARTIALLY_ANSWERED)])
async def test_without_a_critic_the_answerers_own_verdict_counts(own: Verdict | None, routing: Routing) -> None:
    answerer = Answers(replace(DRAFT, self_verdict=own))

    turn = await pipeline(stages(critic=None, answerer=answerer)).run(ask())

    assert turn.outcome.routing is routing


@pytest.mark.parametrize(
    "draft",
    [replace(DRAFT, claims=()), replace(DRAFT, self_verdict=Verdict.CANNOT)],
    ids=["no claims", "says it cannot"],
)
async def test_a_draft_that_says_nothing_is_low_evidence(draft: Draft) -> None:
    turn = await pipeline(stages(answerer=Answers(draft))).run(ask())

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.LOW_EVIDENCE


@pytest.mark.parametrize("ids", [("invented/1",), (), (STEPS.id, "invented/1")])
async def test_an_answer_without_valid_citations_is_withdrawn(ids: tuple[str, ...]) -> None:
    critic = Critiques(Critique(Verdict.FULLY, 0.9))
    answerer = Answers(Draft([Claim("Trust me.", ids)], "scripted"))

    turn = await pipeline(stages(answerer=answerer, critic=critic)).run(ask())

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.INVALID_CITATIONS
    assert "Trust me" not in turn.outcome.answer
    assert critic.calls == []


async def test_middling_confidence_is_answered_with_a_disclaimer_and_without_links() -> None:
    turn = await pipeline(stages(critic=Critiques(Critique(Verdict.FULLY, 0.59)))).run(ask())

    assert turn.outcome.routing is Routing.LOW_CONFIDENCE
    assert turn.outcome.disclaimer == WORDING.say("low_confidence")
    assert turn.outcome.sources == ()


async def test_high_stakes_is_acknowledged_first_with_what_the_articles_say() -> None:
    draft = replace(DRAFT, acknowledgement="Thank you.", offer="You can pause.", closing="A person is near.")

    turn = await pipeline(stages(classifier=says(Label.HIGH_STAKES), answerer=Answers(draft))).run(ask())

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer.split("\n\n") == [
        "Thank you.",
        "Open Settings and choose Domains [1].",
        "You can pause.",
        "A person is near.",
    ]
    assert turn.outcome.escalation.offer is Offer.BUTTON


@pytest.mark.parametrize(("probability", "quoted"), [(0.79, False), (0.8, True)])
async def test_articles_are_quoted_beside_a_serious_matter_only_when_they_surely_fit(
    probability: float, quoted: bool
) -> None:
    answerer = Answers(replace(DRAFT, provider="extractive", acknowledgement="Thank you."))
    critic = Critiques(Critique(Verdict.FULLY, probability))
    chosen = stages(classifier=says(Label.HIGH_STAKES), answerer=answerer, quick_critic=critic)

    await pipeline(chosen).run(ask())

    assert [bool(evidence.hits) for _, _, evidence in answerer.calls] == ([True] if quoted else [True, False])


async def test_nothing_is_quoted_beside_a_serious_matter_from_passages_about_something_else() -> None:
    answerer = Answers(replace(DRAFT, provider="extractive", acknowledgement="Thank you."))
    elsewhere = Retrieves(replace(EVIDENCE, signals={**EVIDENCE.signals, "rerank_top": -0.1}))

    await pipeline(stages(classifier=says(Label.HIGH_STAKES), answerer=answerer, retriever=elsewhere)).run(ask())

    assert [bool(evidence.hits) for _, _, evidence in answerer.calls] == [True, False]


async def test_high_stakes_goes_on_without_context_when_nothing_is_relevant() -> None:
    answerer = Answers(replace(DRAFT, claims=(), acknowledgement="Thank you."))
    chosen = stages(classifier=says(Label.HIGH_STAKES), calibrator=Calibrates(0.1), answerer=answerer)

    turn = await pipeline(chosen).run(ask())

    [(_, _, evidence)] = answerer.calls
    assert evidence.hits == ()
    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer == "Thank you."
    assert turn.outcome.citations == ()


async def test_invented_citations_never_reach_a_high_stakes_reply() -> None:
    draft = Draft([Claim("We refund everything.", ("invented/1",))], "scripted", acknowledgement="Thank you.")

    turn = await pipeline(stages(classifier=says(Label.HIGH_STAKES), answerer=Answers(draft))).run(ask())

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.answer == "Thank you."


async def test_a_visitor_who_leaves_cancels_the_work_in_progress() -> None:
    answerer = Answers(DRAFT, hangs=True)
    running = asyncio.create_task(pipeline(stages(answerer=answerer)).run(ask()))
    await answerer.started.wait()

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert answerer.cancelled
