"""What was found for a request: its band, its label in the light of the evidence, and several merged into one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handrail.answer.gate import Band
from handrail.turn.found import Found, answers_after_all, found, merged
from handrail.types import Citation, Evidence, Label, Request, Routing
from tests.stages import BANDS, EVIDENCE, NOTHING, RECORDS, STEPS, UNLIKE, UNSURE, label, passage, request, sense
from tests.stages import found as evidence_of


def part(text: str, evidence: Evidence, name: Label = Label.ANSWERABLE, probability: float = 0.995) -> Found:
    asked = request(text, name, probability)
    return found(asked, asked.senses[0], evidence, BANDS)


@pytest.mark.parametrize(
    ("evidence", "band"),
    [(EVIDENCE, Band.ANSWERED), (UNSURE, Band.CLOSEST), (UNLIKE, Band.NOTHING), (NOTHING, Band.NOTHING)],
)
def test_the_likeliest_section_gives_the_band(evidence: Evidence, band: Band) -> None:
    assert part("how?", evidence).band is band


def test_nothing_answers_a_question_about_a_code_that_the_articles_lack() -> None:
    assert part("TW-9?", replace(EVIDENCE, unlisted=("TW-9",))).band is Band.NOTHING


@pytest.mark.parametrize(
    ("likely", "given", "answerable", "after_all"),
    [(0.9, 0.55, 0.4, True), (0.6, 0.55, 0.4, True), (0.5, 0.55, 0.4, False), (0.9, 0.95, 0.04, False)],
)
def test_the_surer_a_label_the_likelier_an_answer_has_to_be(
    likely: float, given: float, answerable: float, *, after_all: bool
) -> None:
    doubted = replace(sense("how?"), classification=label(Label.OUT_OF_SCOPE, given, answerable=answerable))

    assert answers_after_all(doubted, evidence_of((STEPS, likely))) is after_all


@pytest.mark.parametrize("name", [Label.HIGH_STAKES, Label.ANSWERABLE])
def test_only_what_the_articles_hold_is_theirs_to_say(name: Label) -> None:
    assert part("how?", EVIDENCE, name, 0.5).label is name


def test_parts_are_merged_with_the_best_of_each_first_and_each_passage_once() -> None:
    third = passage("domains:price/0", "A move is free.")
    first = part("connect", evidence_of((STEPS, 0.9), (third, 0.4)))
    second = part("record", evidence_of((RECORDS, 0.7), (STEPS, 0.3)))

    both = merged((first, second))

    assert [one.id for one in both.passages] == [STEPS.id, RECORDS.id, third.id]
    assert both.parts == (first.evidence, second.evidence)
    assert both.probability == 0.7


def test_one_part_alone_is_its_own_evidence() -> None:
    alone = part("connect", EVIDENCE)

    assert merged((alone,)) is alone.evidence
    assert alone.evidence.parts == ()


def test_a_request_is_reported_with_the_citations_that_answer_it() -> None:
    citations = [Citation(1, STEPS, 0.9, "supported"), Citation(2, RECORDS, 0.9, "supported")]
    own = part("record", evidence_of((RECORDS, 0.9)))

    assert own.asked(Routing.ANSWERED, citations).citations == (2,)
    assert own.asked(Routing.ANSWERED, citations).routing is Routing.ANSWERED
    assert part("weather", NOTHING, Label.IRRELEVANT).asked(Routing.ANSWERED, citations).routing is Routing.IRRELEVANT
    assert part("refund", EVIDENCE, Label.HIGH_STAKES).asked(Routing.ANSWERED, ()).routing is Routing.HIGH_STAKES


def test_a_request_keeps_how_it_was_understood_in_the_end() -> None:
    carried = sense("What is a domain. and then?", prior=0.8)
    asked = Request("and then?", (carried, sense("and then?", prior=0.2)))

    assert found(asked, carried, EVIDENCE, BANDS).sense.text == "What is a domain. and then?"
