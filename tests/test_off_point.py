"""Follow-ups whose answer says nothing of what they add."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.off_point import off_point, without_reason
from handrail.types import Claim, Evidence, Exchange, Hit, Reading, Routing
from tests.stages import DRAFT, ask, passage, pipeline, stages
from tests.test_repeats import Quotes, Reads

PAST = "how do I connect a domain."
STEPS = passage("domain/0", "Open Settings and choose Domains.", title="Connect a domain")
EVIDENCE = Evidence(PAST, (Hit(STEPS),))


def is_off_point(message: str, quoted: str = STEPS.text, kind: str = "follow_up", searched: str = "") -> bool:
    past = Exchange(PAST, PAST, quoted, Routing.ANSWERED)
    reading = Reading(f"{PAST} {message}", kind)
    draft = replace(DRAFT, claims=[Claim(quoted, (STEPS.id,))])
    evidence = replace(EVIDENCE, query=searched or reading.text)
    return off_point(ask(reading.text, history=(past,)), reading, draft, evidence)


@pytest.mark.parametrize("message", ["and on mobile?", "what about .eu?", "for my team?", "and with vat"])
def test_an_answer_that_has_nothing_of_what_is_added_misses_it(message: str) -> None:
    assert is_off_point(message)


def test_an_answer_that_says_it_does_not() -> None:
    assert not is_off_point("and on mobile?", "On the mobile app, choose Domains.")
    assert not is_off_point("and yearly?", "It is EUR 12 with annual billing.", searched=f"{PAST} and annual?")
    assert not is_off_point("and the domain?")


@pytest.mark.parametrize("message", ["what could be the reason?", "a hundred at once?", "and then?", "is it free?"])
def test_what_names_nothing_or_is_a_question_of_its_own_is_left(message: str) -> None:
    assert not is_off_point(message)


def test_what_stands_alone_is_left() -> None:
    assert not is_off_point("and on mobile?", kind="fresh")


def lacks_reason(message: str, quoted: str, kind: str = "follow_up") -> bool:
    reading = Reading(f"{PAST} {message}", kind)
    return without_reason(reading, replace(DRAFT, claims=[Claim(quoted, (STEPS.id,))]), EVIDENCE)


@pytest.mark.parametrize("message", ["why?", "but why", "and why is that?"])
def test_who_asks_why_is_owed_a_reason(message: str) -> None:
    assert lacks_reason(message, STEPS.text)
    assert lacks_reason(message, "Set up two-step sign-in, if your team requires it.")
    assert not lacks_reason(message, "It waits because records are kept for a day.")
    assert not lacks_reason(message, "Only the Owner can do this.")


def test_who_asks_more_than_why_is_owed_an_answer() -> None:
    assert not lacks_reason("why does it take a day?", STEPS.text)
    assert not lacks_reason("why?", STEPS.text, kind="fresh")


@pytest.mark.anyio
async def test_a_why_without_a_reason_is_asked_back() -> None:
    said = Exchange("How?", "How?", "Something else.", Routing.ANSWERED, titles=("Connect a domain",))

    turn = await pipeline(stages(answerer=Quotes(), reader=Reads())).run(ask("why?", history=(said,)))

    assert turn.outcome.routing is Routing.FOLLOWUP


@pytest.mark.anyio
async def test_such_an_answer_is_called_the_closest() -> None:
    chosen = stages(answerer=Quotes(), reader=Reads())
    said = Exchange("How?", "How?", "Something else.", Routing.ANSWERED)

    missed = await pipeline(chosen).run(ask("and on mobile?", history=(said,)))
    hit = await pipeline(chosen).run(ask("and in settings?", history=(said,)))

    assert missed.outcome.routing is Routing.LOW_CONFIDENCE
    assert hit.outcome.routing is Routing.ANSWERED
