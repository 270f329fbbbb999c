"""A message that asks several things: each is answered from its own evidence, and what stays open is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from handrail.types import Claim, Draft, Evidence, Exchange, Label, Offer, Request, Routing, Wordings
from handrail.types.filters import Filters
from tests.stages import (
    EVIDENCE,
    NOTHING,
    RECORDS,
    STEPS,
    Answers,
    Library,
    Retrieves,
    ask,
    asking,
    engine,
    found,
    passage,
    quoting,
    request,
    sense,
    stages,
)

pytestmark = pytest.mark.anyio

PRICE = passage("domains:price/0", "A move is free.", title="What a domain costs", headings=("Moving",))
HELD = {"connect": found((STEPS, 0.9)), "record": found((RECORDS, 0.9)), "charge": found((PRICE, 0.9))}
CONNECT, RECORD, SHELLS = (request(text) for text in ("How do I connect a domain?", "add a record", "pay in shells"))
TWO = "How do I connect a domain, and how do I add a record?"


def two(*requests: Request, **changes: Any) -> Any:
    return quoting(understands=asking(*requests), retriever=Library(HELD), **changes)


async def test_each_request_is_answered_by_a_section_of_its_own() -> None:
    turn = await engine(two(CONNECT, RECORD)).run(ask(TWO))

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer == (
        "**Connect a domain**\n\nOpen Settings and choose Domains. [1]\n\n"
        "**DNS records**\n\nAdd the A record at your provider. [2]"
    )
    assert [piece.citation for piece in turn.outcome.pieces] == [1, 2]
    assert [(asked.text, asked.routing, asked.citations) for asked in turn.outcome.requests] == [
        (CONNECT.text, Routing.ANSWERED, (1,)),
        (RECORD.text, Routing.ANSWERED, (2,)),
    ]


async def test_an_answer_is_as_sure_as_the_less_sure_of_its_parts() -> None:
    library = Library({"connect": found((STEPS, 0.9)), "record": found((RECORDS, 0.7))})

    turn = await engine(quoting(understands=asking(CONNECT, RECORD), retriever=library)).run(ask(TWO))

    assert turn.outcome.confidence == 0.7


async def test_what_stays_open_is_said_and_a_person_is_in_sight() -> None:
    three = two(CONNECT, RECORD, SHELLS)

    turn = await engine(three).run(ask(f"{TWO} And can I pay in shells?"))

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.answer.endswith("about this part: “pay in shells”")
    assert turn.outcome.escalation.offer is Offer.LINK
    assert [asked.routing for asked in turn.outcome.requests][-1] is Routing.CANNOT_ANSWER


@pytest.mark.parametrize("others", [(SHELLS,), (request("connect it now"),)], ids=["not found", "the same section"])
async def test_parts_that_are_not_answered_one_by_one_are_the_whole_message(others: tuple[Request, ...]) -> None:
    chosen = two(CONNECT, *others)

    turn = await engine(chosen).run(ask(TWO))

    assert turn.outcome.routing is Routing.ANSWERED
    assert [citation.passage for citation in turn.outcome.citations] == [STEPS]
    assert list(turn.outcome.requests) == []
    assert chosen.retriever.asked[-1] == " ".join(one.text for one in (CONNECT, *others))


async def test_a_part_that_is_not_for_the_articles_is_named_beside_the_answer() -> None:
    balance = request("tell me my balance", Label.OUT_OF_SCOPE)

    turn = await engine(two(CONNECT, RECORD, balance)).run(ask(TWO))

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert "“tell me my balance”" in turn.outcome.answer
    assert [asked.routing for asked in turn.outcome.requests] == [
        Routing.PARTIALLY_ANSWERED,
        Routing.PARTIALLY_ANSWERED,
        Routing.OUT_OF_SCOPE,
    ]


async def test_the_reply_to_parts_of_which_none_is_for_the_articles_is_the_one_a_person_settles() -> None:
    weather, balance = request("how is the weather", Label.IRRELEVANT), request("my balance", Label.OUT_OF_SCOPE)
    whole = request("how is the weather and my balance", Label.OUT_OF_SCOPE)

    turn = await engine(quoting(understands=asking(weather, balance, whole=whole), retriever=Library({}))).run(
        ask(whole.text)
    )

    assert turn.outcome.routing is Routing.OUT_OF_SCOPE


async def test_a_model_reads_what_was_found_for_each_request_and_writes_once() -> None:
    claims = [Claim("Choose Domains.", (STEPS.id,)), Claim("Add the A record.", (RECORDS.id,))]
    answerer = Answers(Draft(claims, "llm", model="m-1"))
    chosen = stages(understands=asking(CONNECT, RECORD), retriever=Library(HELD), answerer=answerer)

    turn = await engine(chosen).run(ask(TWO))

    ((question, _, evidence),) = answerer.calls
    assert question.text == f"{CONNECT.text} {RECORD.text}"
    assert [one.id for one in evidence.passages] == [STEPS.id, RECORDS.id]
    assert [part.query for part in evidence.parts] == [CONNECT.text, RECORD.text]
    assert turn.outcome.answer == "Choose Domains [1]. Add the A record [2]."
    assert (turn.provider, turn.model, turn.retrieved) == ("llm", "m-1", 2)


class ByText(Retrieves):
    """Finds by the whole text of the query."""

    def __init__(self, held: Mapping[str, Evidence]) -> None:
        super().__init__(NOTHING)
        self._held = held

    async def retrieve(
        self, query: str, filters: Filters, probe: object = None, wordings: Wordings | None = None
    ) -> Evidence:
        self.calls.append((query, filters, probe, wordings))
        return replace(self._held.get(query, NOTHING), query=query)


@pytest.mark.parametrize(
    ("prior", "carried", "alone", "answers"),
    [
        (0.8, 0.7, 0.7, STEPS),
        (0.2, 0.7, 0.7, RECORDS),
        (0.4, 0.9, 0.1, STEPS),
        (0.6, 0.1, 0.9, RECORDS),
    ],
    ids=["needs the past", "stands alone", "the past alone is found", "nothing is found with the past"],
)
async def test_a_message_is_understood_in_the_way_that_is_likely_meant_and_answered(
    prior: float, carried: float, alone: float, answers: object
) -> None:
    message = "how do I add one?"
    together = sense(f"What is a record. {message}", prior=prior, wordings=Wordings({message: 0.6}), carried=True)
    retriever = ByText({together.text: found((STEPS, carried)), message: found((RECORDS, alone))})
    both = Request(message, (together, sense(message, prior=1 - prior)))

    turn = await engine(stages(understands=asking(both), retriever=retriever)).run(ask(message))

    assert len(retriever.calls) == 2
    assert turn.standalone == (together.text if answers is STEPS else message)


async def test_what_is_carried_over_is_searched_for_with_the_wordings_it_brings_and_is_not_rewritten() -> None:
    wordings = Wordings({"and then?": 0.6}, ("domains:connect",))
    retriever = Retrieves(EVIDENCE)
    carried = Request("and then?", (sense("How do I connect. and then?", wordings=wordings),))

    await engine(stages(understands=asking(carried), retriever=retriever)).run(ask("and then?"))

    [(query, _, probe, given)] = retriever.calls
    assert (query, given) == ("How do I connect. and then?", wordings)
    assert probe is not None


QUOTED = Exchange(
    "How do I connect a domain?", "How do I connect a domain?", STEPS.text, Routing.ANSWERED, quoted=(STEPS.id,)
)


def follow_up(evidence: Evidence, *, carried: bool = True) -> Any:
    """Stages for a message that is read with what was said before it, or, not `carried`, by itself."""
    meant = sense("How do I connect a domain. did that. now what", carried=carried)
    return quoting(understands=asking(Request("did that. now what", (meant,))), retriever=Retrieves(evidence))


async def test_a_follow_up_is_not_answered_with_the_section_that_was_quoted_before_it() -> None:
    likely = found((STEPS, 0.9), (RECORDS, 0.85))

    turn = await engine(follow_up(likely)).run(ask("did that. now what", history=(QUOTED,)))

    assert turn.outcome.answer == f"{RECORDS.text} [1]"


async def test_what_is_left_without_the_quoted_section_is_judged_by_itself() -> None:
    turn = await engine(follow_up(found((STEPS, 0.9), (RECORDS, 0.45)))).run(ask("now what", history=(QUOTED,)))

    assert turn.outcome.routing is Routing.LOW_CONFIDENCE
    assert [card.piece.markdown for card in turn.outcome.closest] == [RECORDS.text]


async def test_what_was_quoted_is_shown_again_where_nothing_else_is_close_but_not_as_the_answer() -> None:
    turn = await engine(follow_up(found((STEPS, 0.9), (RECORDS, 0.1)))).run(ask("now what", history=(QUOTED,)))

    assert turn.outcome.routing is Routing.LOW_CONFIDENCE
    assert [card.piece.markdown for card in turn.outcome.closest][:1] == [STEPS.text]


def goes_on_about(article: str, evidence: Evidence) -> Any:
    """Stages for a follow-up to what was said about `article`."""
    meant = sense("How do I connect a domain. where is that", wordings=Wordings({}, (article,)), carried=True)
    return quoting(understands=asking(Request("where is that", (meant,))), retriever=Retrieves(evidence))


ASKED = Exchange(
    "How do I connect a domain?", "How do I connect a domain?", "These look closest", Routing.LOW_CONFIDENCE
)


async def test_a_follow_up_that_nothing_answers_is_shown_the_sections_of_what_it_goes_on_about() -> None:
    evidence = found((STEPS, 0.03), (RECORDS, 0.02))

    turn = await engine(goes_on_about(STEPS.article_id, evidence)).run(ask("where is that", history=(ASKED,)))
    without = await engine(goes_on_about("other", evidence)).run(ask("where is that", history=(ASKED,)))

    assert turn.outcome.routing is Routing.LOW_CONFIDENCE
    assert [card.piece.markdown for card in turn.outcome.closest][:1] == [STEPS.text]
    assert without.outcome.closest == ()


async def test_what_looks_closer_by_itself_stays_before_what_a_follow_up_goes_on_about() -> None:
    likelier = passage("plans:price/0", "A move is free.")

    turn = await engine(goes_on_about(STEPS.article_id, found((likelier, 0.4), (STEPS, 0.03)))).run(
        ask("where is that", history=(ASKED,))
    )

    assert turn.outcome.closest[0].piece.markdown == likelier.text


@pytest.mark.parametrize("past", [replace(QUOTED, quoted=()), replace(QUOTED, quoted=(RECORDS.id,))])
async def test_a_section_that_was_not_quoted_answers_a_follow_up(past: Exchange) -> None:
    turn = await engine(follow_up(found((STEPS, 0.9)))).run(ask("now what", history=(past,)))

    assert turn.outcome.answer == f"{STEPS.text} [1]"


async def test_whoever_asks_the_same_again_is_answered_again() -> None:
    chosen = follow_up(found((STEPS, 0.9)), carried=False)

    turn = await engine(chosen).run(ask("How do I connect a domain?", history=(QUOTED,)))

    assert turn.outcome.answer == f"{STEPS.text} [1]"
