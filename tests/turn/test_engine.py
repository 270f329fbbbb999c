"""One turn through scripted stages: what each of them decides, and what the turn does when one of them fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from handrail.answer.gate import Band
from handrail.errors import RetryableError
from handrail.stores import snapshot as snapshots
from handrail.stores.relations import Relations
from handrail.types import (
    Act,
    Claim,
    Draft,
    Exchange,
    Label,
    Offer,
    RefusalReason,
    Related,
    Routing,
    Verdict,
)
from tests.stages import (
    DRAFT,
    EVIDENCE,
    NOTHING,
    RECORDS,
    STEPS,
    UNLIKE,
    UNSURE,
    WORDING,
    Answers,
    Critiques,
    Labels,
    Retrieves,
    act,
    ask,
    asking,
    critique,
    engine,
    label,
    quoting,
    says,
    stages,
)
from tests.stages import request as asks

pytestmark = pytest.mark.anyio

AWAY = RetryableError("the provider is away")
SAID = Exchange("How?", "How?", "Open Settings and choose Domains [1].", Routing.ANSWERED, titles=(STEPS.title,))
ASKED_BACK = Exchange("Hm", "Hm", "", Routing.FOLLOWUP, titles=(STEPS.title, RECORDS.title))


async def test_an_answer_carries_its_evidence_and_how_it_came_about() -> None:
    turn = await engine(stages(critic=critique())).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer == "Open Settings and choose Domains [1]."
    assert [(citation.index, citation.passage) for citation in turn.outcome.citations] == [(1, STEPS)]
    assert turn.outcome.confidence == 0.9
    assert (turn.provider, turn.model, turn.retrieved) == ("scripted", "m-1", 2)
    assert turn.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert set(turn.latency_ms) == {"understand", "retrieve", "generate", "critique", "total"}
    assert turn.degraded == ()


async def test_what_belongs_beside_an_answer_is_named_unless_the_matter_is_serious() -> None:
    rows = [replace(STEPS, facets={"next": RECORDS.article_id}), RECORDS]
    held = Relations(snapshots.build(rows, np.eye(2, dtype=np.float32)))

    beside = await engine(stages(relations=held)).run(ask())
    without = await engine(stages()).run(ask())
    grave = await engine(stages(classifier=says(Label.HIGH_STAKES), relations=held)).run(ask())

    assert beside.outcome.related == [Related(RECORDS.article_id, RECORDS.title, RECORDS.url, "next")]
    assert without.outcome.related == grave.outcome.related == ()


async def test_without_a_model_the_answer_is_the_whole_section_and_nothing_doubts_it() -> None:
    critic, verifier = critique(Verdict.CANNOT), Labels({"c1": "unsupported"})

    turn = await engine(quoting(critic=critic, verifier=verifier)).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer == "Open Settings and choose Domains. [1]"
    [piece] = turn.outcome.pieces
    assert (piece.markdown, piece.citation) == (STEPS.text, 1)
    assert piece.span == (0, len(turn.outcome.answer))
    assert (turn.provider, turn.model) == ("extractive", None)
    assert list(critic.calls) == []
    assert list(verifier.drafts) == []


@pytest.mark.parametrize("name", [Label.NONSENSE, Label.IRRELEVANT, Label.OUT_OF_SCOPE])
async def test_what_is_surely_not_for_the_articles_gets_a_fixed_reply_and_no_model_writes(name: Label) -> None:
    answerer, retriever = Answers(DRAFT), Retrieves(UNSURE)
    chosen = stages(classifier=says(name), answerer=answerer, retriever=retriever)

    turn = await engine(chosen, topics=["Billing"]).run(ask())

    assert turn.outcome.routing.value == name.value
    assert turn.outcome.refused
    assert list(turn.outcome.citations) == []
    assert list(turn.outcome.closest) == []
    assert turn.provider == "static"
    assert answerer.calls == []
    assert len(retriever.calls) == (name is Label.IRRELEVANT)


async def test_what_the_articles_answer_is_on_topic_however_sure_the_label() -> None:
    turn = await engine(stages(classifier=says(Label.IRRELEVANT), retriever=Retrieves(EVIDENCE))).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED


@pytest.mark.parametrize("name", [Label.IRRELEVANT, Label.OUT_OF_SCOPE])
@pytest.mark.parametrize(("found", "answered"), [(EVIDENCE, True), (UNSURE, True), (UNLIKE, False)])
async def test_a_doubtful_label_gives_way_where_the_articles_have_something_close(
    name: Label, found: object, *, answered: bool
) -> None:
    doubtful = says(name)
    doubtful.result = label(name, 0.55, answerable=0.4)

    turn = await engine(stages(classifier=doubtful, retriever=Retrieves(found))).run(ask())  # type: ignore[arg-type]

    assert turn.outcome.routing.value == ("answered" if answered else name.value)
    assert turn.classification.label is (Label.ANSWERABLE if answered else name)


async def test_what_surely_means_nothing_is_not_for_the_articles_to_say() -> None:
    nonsense = says(Label.NONSENSE)
    nonsense.result = label(Label.NONSENSE, 0.995, answerable=0.004)

    turn = await engine(stages(classifier=nonsense)).run(ask())

    assert turn.outcome.routing is Routing.NONSENSE


async def test_what_only_looks_close_is_shown_as_cards_without_the_claim_that_it_answers() -> None:
    turn = await engine(quoting(retriever=Retrieves(UNSURE))).run(ask())

    outcome = turn.outcome
    assert outcome.routing is Routing.LOW_CONFIDENCE
    assert outcome.disclaimer == WORDING.say("not_sure")
    assert list(outcome.sources) == []
    assert list(outcome.pieces) == []
    assert not outcome.refused
    assert [(card.piece.markdown, card.open) for card in outcome.closest] == [(STEPS.text, True), (RECORDS.text, True)]
    assert [citation.passage for citation in outcome.citations] == [STEPS, RECORDS]
    assert outcome.answer.startswith(WORDING.say("closest"))
    assert STEPS.text in outcome.answer
    assert (outcome.confidence, outcome.escalation.offer) == (0.45, Offer.LINK)


async def test_a_model_may_write_from_what_only_looks_close() -> None:
    unsure = Retrieves(UNSURE)

    answered, doubted = [
        await engine(stages(retriever=unsure, critic=critique(verdict))).run(ask())
        for verdict in (Verdict.FULLY, Verdict.PARTLY)
    ]

    assert answered.outcome.routing is Routing.ANSWERED
    assert doubted.outcome.routing is Routing.LOW_CONFIDENCE
    assert doubted.outcome.disclaimer == WORDING.say("low_confidence")
    assert doubted.outcome.sources == ()


async def test_where_the_model_fails_on_what_only_looks_close_nothing_is_claimed_to_answer() -> None:
    turn = await engine(stages(retriever=Retrieves(UNSURE), answerer=Answers(AWAY), critic=critique())).run(ask())

    assert turn.outcome.routing is Routing.LOW_CONFIDENCE
    assert turn.outcome.disclaimer


async def test_a_model_that_needs_sure_evidence_writes_from_no_other() -> None:
    strict = Answers(DRAFT, least=Band.ANSWERED)

    turn = await engine(stages(retriever=Retrieves(UNSURE), answerer=strict)).run(ask())

    assert turn.outcome.routing is Routing.LOW_CONFIDENCE
    assert strict.calls == []


@pytest.mark.parametrize("chosen", [quoting, stages], ids=["quoting", "writing"])
async def test_unlike_evidence_asks_back(chosen: object) -> None:
    turn = await engine(chosen(retriever=Retrieves(UNLIKE))).run(ask())  # type: ignore[operator]

    assert turn.outcome.routing is Routing.FOLLOWUP
    assert turn.outcome.refusal_reason is RefusalReason.NO_RELEVANT_CONTEXT
    assert list(turn.outcome.citations) == []
    assert list(turn.outcome.closest) == []
    assert turn.provider == "static"


async def test_nothing_found_asks_back() -> None:
    turn = await engine(stages(retriever=Retrieves(NOTHING))).run(ask())

    assert turn.outcome.routing is Routing.FOLLOWUP
    assert turn.outcome.answer == WORDING.say("followup")


@pytest.mark.parametrize("before", [(ASKED_BACK,), (ASKED_BACK, SAID)], ids=["just now", "the turn before"])
async def test_nobody_is_asked_back_twice_in_a_row(before: tuple[Exchange, ...]) -> None:
    turn = await engine(stages(retriever=Retrieves(UNLIKE))).run(ask("you know, the thing", history=before))

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.LOW_EVIDENCE
    assert turn.outcome.escalation.offer is Offer.BUTTON


async def test_a_code_that_the_articles_lack_is_refused_however_near_others_are() -> None:
    unlisted = replace(EVIDENCE, unlisted=("TW-3009",))

    turn = await engine(quoting(retriever=Retrieves(unlisted))).run(ask("What does TW-3009 mean?"))

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert "TW-3009" in turn.outcome.answer
    assert list(turn.outcome.citations) == []
    assert list(turn.outcome.closest) == []
    assert turn.outcome.confidence == 0.0


async def test_a_critique_that_finds_no_answer_withdraws_it() -> None:
    turn = await engine(stages(critic=critique(Verdict.CANNOT))).run(ask())

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.LOW_EVIDENCE
    assert turn.outcome.citations == ()


async def test_a_partial_answer_is_labelled_so() -> None:
    turn = await engine(stages(critic=critique(Verdict.PARTLY))).run(ask())

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.escalation.offer is Offer.LINK


async def test_where_the_critic_fails_another_judges() -> None:
    turn = await engine(stages(critic=Critiques(AWAY), critic_instead=critique(Verdict.PARTLY))).run(ask())

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.degraded == ("critique",)


@pytest.mark.parametrize(("own", "routing"), [(None, Routing.ANSWERED), (Verdict.PARTLY, Routing.PARTIALLY_ANSWERED)])
async def test_without_a_critic_the_answerers_own_verdict_counts(own: Verdict | None, routing: Routing) -> None:
    turn = await engine(stages(answerer=Answers(replace(DRAFT, self_verdict=own)))).run(ask())

    assert turn.outcome.routing is routing


@pytest.mark.parametrize(
    "draft",
    [replace(DRAFT, claims=()), replace(DRAFT, self_verdict=Verdict.CANNOT)],
    ids=["no claims", "says it cannot"],
)
async def test_a_draft_that_says_nothing_is_low_evidence(draft: Draft) -> None:
    turn = await engine(stages(answerer=Answers(draft))).run(ask())

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.LOW_EVIDENCE


@pytest.mark.parametrize("ids", [("invented/1",), (), (STEPS.id, "invented/1")])
async def test_in_place_of_an_answer_without_valid_citations_the_articles_are_quoted(ids: tuple[str, ...]) -> None:
    critic = critique()
    answerer = Answers(Draft([Claim("Trust me.", ids)], "scripted"))

    turn = await engine(stages(answerer=answerer, critic=critic)).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert [piece.markdown for piece in turn.outcome.pieces] == [STEPS.text]
    assert (turn.provider, turn.reasons) == ("extractive", {"answer": "invalid_citations"})
    assert "Trust me" not in turn.outcome.answer
    assert critic.calls == []


@pytest.mark.parametrize("ids", [("invented/1",), (), (STEPS.id, "invented/1")])
async def test_an_answer_without_valid_citations_is_withdrawn_where_no_section_surely_answers(
    ids: tuple[str, ...],
) -> None:
    critic = critique()
    answerer = Answers(Draft([Claim("Trust me.", ids)], "scripted"))

    turn = await engine(stages(answerer=answerer, critic=critic, retriever=Retrieves(UNSURE))).run(ask())

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.refusal_reason is RefusalReason.INVALID_CITATIONS
    assert "Trust me" not in turn.outcome.answer
    assert critic.calls == []


async def test_a_visitor_who_leaves_cancels_the_work_in_progress() -> None:
    answerer = Answers(DRAFT, hangs=True)
    running = asyncio.create_task(engine(stages(answerer=answerer)).run(ask()))
    await answerer.started.wait()

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert answerer.cancelled


@pytest.mark.parametrize("of", [Act.GREETING, Act.THANKS, Act.YES, Act.NO])
async def test_a_courtesy_has_words_of_its_own_and_looks_nothing_up(of: Act) -> None:
    retriever = Retrieves(EVIDENCE)

    turn = await engine(stages(understands=act(of), retriever=retriever), topics=["Billing"]).run(ask())

    assert turn.outcome.routing is Routing.IRRELEVANT
    assert turn.outcome.answer == WORDING.say(of.value)
    assert turn.outcome.suggestions == ("Billing",)
    assert (turn.classification.label, turn.provider) == (Label.IRRELEVANT, "static")
    assert retriever.calls == []


@pytest.mark.parametrize("of", [Act.STILL_FAILS, Act.WRONG_ANSWER])
async def test_whom_the_last_answer_has_not_helped_a_person_is_in_sight_of(of: Act) -> None:
    first = await engine(stages(understands=act(of))).run(ask("it still fails"))
    later = await engine(stages(understands=act(of))).run(ask("it still fails", history=(SAID,)))

    assert (first.outcome.routing, later.outcome.routing) == (Routing.ANSWERED, Routing.ANSWERED)
    assert first.outcome.escalation.offer is Offer.NONE
    assert (later.outcome.escalation.offer, later.outcome.escalation.reason) == (Offer.LINK, "not_solved")


async def test_whom_nothing_helps_is_not_asked_what_is_meant() -> None:
    chosen = stages(understands=act(Act.WRONG_ANSWER), retriever=Retrieves(UNLIKE))

    turn = await engine(chosen).run(ask("that is not it", history=(SAID,)))

    assert turn.outcome.routing is Routing.CANNOT_ANSWER
    assert turn.outcome.escalation.offer is Offer.BUTTON


async def test_who_asks_for_a_person_is_shown_the_way_and_beside_an_answer_to_another_question_too() -> None:
    alone = await engine(stages(understands=act(Act.REQUEST, wants_person=True))).run(ask("call me"))
    both = asking(asks("connect a domain"), asks("let somebody call me", Label.OUT_OF_SCOPE), wants_person=True)
    beside = await engine(stages(understands=both)).run(ask("connect a domain, and let somebody call me"))

    assert (alone.outcome.routing, alone.outcome.answer) == (Routing.OUT_OF_SCOPE, WORDING.say("person"))
    assert alone.outcome.escalation.offer is beside.outcome.escalation.offer is Offer.BUTTON
    assert beside.outcome.answer.startswith("Open Settings")


@pytest.mark.parametrize("suspicious", [False, True])
async def test_a_suspicious_message_takes_nothing_over_from_the_conversation(*, suspicious: bool) -> None:
    retriever = Retrieves(EVIDENCE)
    past = Exchange("How do I connect?", "How do I connect?", "…", Routing.ANSWERED)

    await engine(stages(retriever=retriever)).run(ask("and then?", history=(past,), suspicious=suspicious))

    assert {query for query, *_ in retriever.calls} == {"and then?"}
