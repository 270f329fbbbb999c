"""A message of two questions through scripted stages: both answered, one of them, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from handrail.errors import RetryableError
from handrail.answer import Hearer
from handrail.several import Several
from handrail.types import (
    Claim,
    Classification,
    Draft,
    Evidence,
    Hit,
    Label,
    Offer,
    Probe,
    Question,
    Reading,
    RefusalReason,
    Routing,
    Verdict,
)
from tests.stages import RECORDS, STEPS, Answers, Calibrates, Retrieves, ask, passage, pipeline, says, stages

pytestmark = pytest.mark.anyio

PRICE = passage("domains:price/0", "A move is free.", title="What a domain costs", headings=("Moving",))
FOUND = {"connect": STEPS, "record": RECORDS, "charge": PRICE}
TWO = "How do I connect a domain, and how do I add a record?"


class Library(Retrieves):
    """Finds the passage that a word of the query names; nothing for any other."""

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        self.readings.append(reading)
        found = [Hit(passage, final=0.9) for word, passage in FOUND.items() if word in query.casefold()]
        return Evidence(query, found[-1:], {})


class Quotes:
    """Answers with the whole of the best passage."""

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: Hearer | None = None
    ) -> Draft:
        best = evidence.hits[0].passage
        return Draft([Claim(best.text, (best.id,), support="supported")], "extractive")


def splitting(label: Label = Label.ANSWERABLE, **changes: Any) -> Any:
    library = Library(Evidence("", ()))
    plain = stages(retriever=library, answerer=Quotes(), fallback_answerer=None, critic=None, **changes)
    several = Several(library, says(label), Calibrates(0.9), Quotes(), None, 0.4)
    return replace(plain, several=several)


async def test_each_question_is_answered_from_its_own_evidence() -> None:
    turn = await pipeline(splitting()).run(ask(TWO))

    assert turn.outcome.routing is Routing.ANSWERED
    assert turn.outcome.answer == (
        "**Connect a domain:**\n\nOpen Settings and choose Domains [1].\n\n"
        "**DNS records:**\n\nAdd the A record at your provider [2]."
    )
    assert [citation.passage for citation in turn.outcome.citations] == [STEPS, RECORDS]


async def test_a_question_that_points_back_is_looked_up_with_the_one_before() -> None:
    chosen = splitting()

    turn = await pipeline(chosen).run(ask("How do I connect a domain, and do you charge for it?"))

    assert [citation.passage for citation in turn.outcome.citations] == [STEPS, PRICE]
    assert chosen.retriever.readings[-1].kind == "follow_up"
    assert chosen.retriever.readings[-1].favoured == (STEPS.article_id,)


async def test_what_stays_open_is_said_and_a_person_is_in_sight() -> None:
    turn = await pipeline(splitting()).run(ask("How do I connect a domain, and can I pay in shells?"))

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert turn.outcome.answer.endswith("about this part: “Can I pay in shells?”")
    assert turn.outcome.escalation.offer is Offer.LINK


async def test_the_same_words_are_quoted_once() -> None:
    turn = await pipeline(splitting()).run(ask("How do I connect a domain, and can I connect another domain?"))

    assert turn.outcome.answer.count("Open Settings") == 1


@pytest.mark.parametrize("message", ["How do I connect a domain?", "How do I pay, and can I pay in shells?"])
async def test_one_question_and_none_that_is_answered_go_the_usual_way(message: str) -> None:
    chosen = splitting()

    await pipeline(chosen).run(ask(message))

    assert chosen.retriever.readings[-1] is None


async def test_parts_for_nobody_are_not_answered_by_themselves() -> None:
    turn = await pipeline(splitting(Label.IRRELEVANT)).run(ask(TWO))

    assert len(turn.outcome.citations) == 1


class SortsByWords:
    """Takes what names a word for its label, the gravest where there are several; all else is answerable."""

    def __init__(self, **words: Label) -> None:
        self._words = words

    async def classify(self, question: Question, probe: Probe) -> Classification:
        said = [label for word, label in self._words.items() if word in question.text.casefold()]
        label = min(said, key=list(Label)[::-1].index, default=Label.ANSWERABLE)
        label = Label.HIGH_STAKES if Label.HIGH_STAKES in said else label
        return Classification(label, 0.9, "local", {label: 0.9, Label.HIGH_STAKES: 0.9 if label in GRAVE else 0.1})


GRAVE = (Label.HIGH_STAKES,)


class Replies(Quotes):
    """Quotes, and has the words of a serious reply around it where it is one."""

    async def answer(
        self, question: Question, classification: Classification, evidence: Evidence, heard: Hearer | None = None
    ) -> Draft:
        if classification.label is not Label.HIGH_STAKES:
            return await super().answer(question, classification, evidence, heard)
        found = await super().answer(question, classification, evidence, heard) if evidence.hits else None
        return Draft(
            found.claims if found else (), "extractive", acknowledgement="We hear you.", closing="A person can."
        )


def sorting(**words: Label) -> Any:
    library, sorts = Library(Evidence("", ())), SortsByWords(**words)
    plain = stages(
        classifier=sorts, retriever=library, answerer=Replies(), fallback_answerer=None, critic=None,
    )  # fmt: skip
    return replace(plain, several=Several(library, sorts, Calibrates(0.9), Quotes(), None, 0.4))


@pytest.mark.parametrize(
    "message",
    [
        "How do I stop my charge and how do I add a record?",
        "How do I add a record, and how do I stop the charge?",
        "Please stop the charge at once. How do I add a record?",
        "Please stop the charge at once, and tell me how to add a record",
        "I want you to stop my charge but first how do I add a record?",
    ],
)
async def test_a_message_with_a_serious_part_is_serious_and_its_other_parts_are_answered(message: str) -> None:
    turn = await pipeline(sorting(stop=Label.HIGH_STAKES)).run(ask(message))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert turn.outcome.escalation.offer is Offer.BUTTON
    assert turn.outcome.answer.startswith("We hear you.")
    assert [citation.passage for citation in turn.outcome.citations] == [PRICE, RECORDS]
    assert turn.outcome.answer.endswith("A person can.")
    assert turn.classification.label is Label.HIGH_STAKES


async def test_of_a_serious_message_whose_other_part_has_no_article_that_is_said() -> None:
    turn = await pipeline(sorting(stop=Label.HIGH_STAKES)).run(ask("How do I stop my charge and can I pay in shells?"))

    assert turn.outcome.routing is Routing.HIGH_STAKES
    assert [citation.passage for citation in turn.outcome.citations] == [PRICE]
    assert "about this part: “Can I pay in shells?”" in turn.outcome.answer


@pytest.mark.parametrize("whole", [Label.ANSWERABLE, Label.OUT_OF_SCOPE])
async def test_a_part_that_is_out_of_scope_is_named_beside_the_answer(whole: Label) -> None:
    parts = sorting(balance=Label.OUT_OF_SCOPE)
    turn = await pipeline(replace(parts, classifier=says(whole))).run(
        ask("How do I add a record and can you tell me my balance?")
    )

    assert turn.outcome.routing is Routing.PARTIALLY_ANSWERED
    assert [citation.passage for citation in turn.outcome.citations] == [RECORDS]
    assert "“Can you tell me my balance?”" in turn.outcome.answer


async def test_a_serious_message_of_several_sentences_is_read_as_one() -> None:
    message = "Please stop the charge at once. You did not stop it last week, and I was angry to see it not stop."

    turn = await pipeline(sorting(stop=Label.HIGH_STAKES)).run(ask(message))

    assert [citation.passage for citation in turn.outcome.citations] == [PRICE]
    assert turn.outcome.answer.count("A move is free") == 1


async def test_a_part_that_fails_leaves_the_message_whole() -> None:
    chosen = splitting()
    failing = replace(
        chosen, several=Several(Library(Evidence("", ())), says(Label.ANSWERABLE), Calibrates(0.1), Quotes(), None, 0.4)
    )

    turn = await pipeline(failing).run(ask(TWO))

    assert len(turn.outcome.citations) == 1


def written(*claims: Claim, verdict: Verdict = Verdict.FULLY) -> Answers:
    return Answers(Draft(claims, "llm", model="m-1", self_verdict=verdict))


BOTH = (Claim("Choose Domains.", (STEPS.id,)), Claim("Add the A record.", (RECORDS.id,)))


def together(answerer: Answers, label: Label = Label.ANSWERABLE, probability: float = 0.9) -> Any:
    library = Library(Evidence("", ()))
    plain = stages(retriever=library, answerer=answerer, fallback_answerer=Quotes(), critic=None)
    several = Several(library, says(label), Calibrates(probability), Quotes(), None, 0.4, together=True)
    return replace(plain, several=several)


async def test_a_model_reads_what_was_found_for_each_question_and_answers_the_message_once() -> None:
    answerer = written(*BOTH)

    turn = await pipeline(together(answerer)).run(ask(TWO))

    ((question, _, evidence),) = answerer.calls
    assert question.text == TWO
    assert [passage.id for passage in evidence.passages] == [STEPS.id, RECORDS.id]
    assert evidence.questions == 2
    assert (turn.outcome.routing, turn.outcome.confidence) == (Routing.ANSWERED, 0.9)
    assert turn.outcome.answer == "Choose Domains [1]. Add the A record [2]."
    assert (turn.provider, turn.model, turn.retrieved) == ("llm", "m-1", 2)


async def test_a_model_is_told_nothing_new_of_a_message_with_one_question() -> None:
    chosen = together(written(*BOTH))

    await pipeline(chosen).run(ask())

    ((_, _, evidence),) = chosen.answerer.calls
    assert (evidence.questions, chosen.retriever.readings) == (1, [None])


@pytest.mark.parametrize(
    ("said", "verdict", "open_"),
    [
        ("Choose Domains.", Verdict.PARTLY, True),
        ("Choose Domains.", Verdict.FULLY, True),
        ("Choose Domains; shells pay for it.", Verdict.FULLY, False),
        ("Choose Domains; shells pay for it.", Verdict.PARTLY, True),
    ],
    ids=["said to be open", "not spoken of", "answered from another article", "spoken of and open"],
)
async def test_a_part_without_an_article_is_said_to_be_open_unless_the_model_answers_it(
    said: str, verdict: Verdict, *, open_: bool
) -> None:
    answerer = written(Claim(said, (STEPS.id,)), verdict=verdict)

    turn = await pipeline(together(answerer)).run(ask("How do I connect a domain, and can I pay in shells?"))

    assert turn.outcome.routing is (Routing.PARTIALLY_ANSWERED if open_ else Routing.ANSWERED)
    assert turn.outcome.answer.endswith("about this part: “Can I pay in shells?”") is open_


async def test_where_the_model_fails_each_question_is_quoted_by_itself() -> None:
    turn = await pipeline(together(Answers(RetryableError("away")))).run(ask(TWO))

    assert (turn.provider, turn.degraded) == ("extractive", ("answer",))
    assert turn.outcome.answer.count("**") == 4
    assert [citation.passage for citation in turn.outcome.citations] == [STEPS, RECORDS]


async def test_a_model_that_cannot_answer_any_of_it_is_believed() -> None:
    turn = await pipeline(together(written(verdict=Verdict.CANNOT))).run(ask(TWO))

    assert (turn.outcome.routing, turn.outcome.refusal_reason) == (
        Routing.CANNOT_ANSWER,
        RefusalReason.LOW_EVIDENCE,
    )


@pytest.mark.parametrize(("label", "probability"), [(Label.HIGH_STAKES, 0.9), (Label.ANSWERABLE, 0.1)])
async def test_a_part_for_a_person_or_none_that_is_found_leaves_the_message_whole(
    label: Label, probability: float
) -> None:
    chosen = together(written(*BOTH[1:]), label, probability)

    await pipeline(chosen).run(ask(TWO))

    ((_, _, evidence),) = chosen.answerer.calls
    assert evidence.questions == 1


async def test_a_question_that_points_back_is_looked_up_with_what_was_found_first() -> None:
    chosen = together(written(*BOTH[:1]))

    await pipeline(chosen).run(ask("How do I connect a domain, and do you charge for it?"))

    assert chosen.retriever.readings[-1].favoured == (STEPS.article_id,)
