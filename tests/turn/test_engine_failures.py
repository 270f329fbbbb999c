"""What a turn becomes when what it asks fails, hangs or is away."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from handrail.errors import BudgetExhausted, PermanentError, RetryableError
from handrail.types import (
    Critique,
    Label,
    Offer,
    RefusalReason,
    Routing,
    Verdict,
)
from handrail.understand.local import LocalUnderstanding
from tests.stages import (
    CLASSIFY,
    DRAFT,
    EVIDENCE,
    STEPS,
    WORDING,
    Answers,
    Critiques,
    Retrieves,
    Rewrites,
    Understands,
    ask,
    engine,
    says,
    stages,
)

pytestmark = pytest.mark.anyio

AWAY = RetryableError("the provider is away")
FAILURES = [AWAY, PermanentError("the key is wrong"), BudgetExhausted("spent")]


@pytest.mark.parametrize("error", FAILURES)
async def test_who_understands_and_fails_is_replaced(error: Exception) -> None:
    local = LocalUnderstanding(Retrieves(EVIDENCE), says(Label.ANSWERABLE, by="instead"), CLASSIFY)

    turn = await engine(stages(understands=Understands(error), understands_instead=local)).run(ask())

    assert turn.classification.by == "instead"
    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.degraded == ("understand",)


@pytest.mark.parametrize("error", FAILURES)
async def test_a_failing_rewriter_leaves_the_original_question(error: Exception) -> None:
    retriever = Retrieves(EVIDENCE)

    turn = await engine(stages(rewriter=Rewrites(error), retriever=retriever)).run(ask("and after that?"))

    [(query, _, probe, wordings)] = retriever.calls
    assert query == "and after that?"
    assert probe is not None
    assert wordings is None
    assert (turn.outcome.routing, turn.degraded) == (Routing.ANSWERED, ("rewrite",))


async def test_a_rewritten_question_is_searched_for_beside_the_visitors_own_words() -> None:
    retriever = Retrieves(EVIDENCE)
    question = ask("and mailboxes?", filters={"section": "domains"})

    await engine(stages(rewriter=Rewrites("How do I add mailboxes?"), retriever=retriever)).run(question)

    [(query, filters, probe, wordings)] = retriever.calls
    assert (query, filters, probe) == ("How do I add mailboxes?", {"section": "domains"}, None)
    assert dict(wordings.beside) == {"and mailboxes?": 1.0}


@pytest.mark.parametrize("error", FAILURES)
async def test_where_the_model_fails_the_sections_themselves_are_quoted(error: Exception) -> None:
    turn = await engine(stages(answerer=Answers(error))).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert [piece.markdown for piece in turn.outcome.pieces] == [STEPS.text]
    assert (turn.provider, turn.model, turn.degraded) == ("extractive", None, ("answer",))


async def test_without_any_answerer_the_turn_is_unavailable_and_a_person_is_offered() -> None:
    alone = stages(answerer=Answers(AWAY))

    turn = await engine(replace(alone, answer=replace(alone.answer, spare=None))).run(ask())

    assert turn.outcome.routing is Routing.UNAVAILABLE
    assert turn.outcome.refusal_reason is RefusalReason.PROVIDER_UNAVAILABLE
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert turn.degraded == ("answer", "assistant")


@pytest.mark.slow
async def test_a_hanging_answerer_leaves_time_for_the_sections() -> None:
    answerer = Answers(DRAFT, hangs=True)

    turn = await engine(stages(answerer=answerer), deadline_s=4).run(ask())

    assert turn.provider == "extractive"
    assert turn.outcome.routing is Routing.ANSWERED
    assert answerer.cancelled


@pytest.mark.slow
async def test_a_provider_that_hangs_at_every_stage_still_leaves_an_answer() -> None:
    local = LocalUnderstanding(Retrieves(EVIDENCE), says(Label.ANSWERABLE, by="instead"), CLASSIFY)
    chosen = stages(
        understands=Understands(AWAY, hangs=True),
        understands_instead=local,
        rewriter=Rewrites("unused", hangs=True),
        answerer=Answers(DRAFT, hangs=True),
        critic=Critiques(Critique(Verdict.FULLY), hangs=True),
    )

    turn = await engine(chosen, deadline_s=4).run(ask())

    assert turn.outcome.routing is Routing.ANSWERED
    assert (turn.classification.by, turn.provider) == ("instead", "extractive")
    assert turn.degraded == ("understand", "rewrite", "answer")


@pytest.mark.slow
async def test_a_search_that_hangs_ends_with_the_turn() -> None:
    start = time.monotonic()

    turn = await engine(stages(retriever=Retrieves(EVIDENCE, hangs=True)), deadline_s=1).run(ask())

    assert 0.9 < time.monotonic() - start < 30
    assert turn.outcome.routing is Routing.UNAVAILABLE
    assert turn.degraded == ("assistant",)


async def test_a_store_that_does_not_answer_makes_the_turn_unavailable() -> None:
    turn = await engine(stages(retriever=Retrieves(AWAY))).run(ask())

    assert turn.outcome.routing is Routing.UNAVAILABLE
    assert turn.outcome.answer == WORDING.say("unavailable")


async def test_a_defect_is_not_hidden_as_a_refusal() -> None:
    with pytest.raises(ValueError, match="a defect"):
        await engine(stages(retriever=Retrieves(ValueError("a defect")))).run(ask())
