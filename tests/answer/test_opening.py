"""Short questions are told how the article begins before what it says of a special case."""

from __future__ import annotations

import pytest

from handrail.answer.compose import begun_with
from handrail.answer.opening import opening, opens
from handrail.answer.units import units
from handrail.types import Claim, Evidence, Hit
from tests.generate.articles import evidence
from tests.knowledge.articles import article

PAYOUTS = article(
    "We pay on the working day after arrival. Weekends do not count.\n\n## Long stays\n\nMonths are paid monthly.",
    "a:payouts",
    title="When hosts get their money",
)


def found(body: str = "") -> Evidence:
    return evidence("when do I get paid", article(body, "a:payouts") if body else PAYOUTS, merge=0)


def texts(given: Evidence) -> list[str]:
    return [unit.lines[0] for unit in opening("a:payouts", given.hits)]


def test_an_opening_is_its_first_sentences() -> None:
    assert texts(found()) == ["We pay on the working day after arrival.", "Weekends do not count."]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("This article shows how it works. Payouts are weekly.", ["Payouts are weekly."]),
        ("This article shows how it works. It also lists fees.", []),
        ("Find the message that matches yours.", []),
        ("1. Open Payouts.\n2. Wait.", []),
        ("## Weekly\n\nPayouts are weekly.", []),
        (f"Payouts are weekly. {'Long ' * 45}sentence.", ["Payouts are weekly."]),
    ],
)
def test_what_only_guides_the_reader_is_no_opening(body: str, said: list[str]) -> None:
    assert texts(found(body)) == said


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("when do I get money", True),
        ("when is rent of long stays paid out", False),
        ("money for guests and for hosts after arrival on Sunday or Monday morning", False),
    ],
)
def test_only_a_short_question_about_no_special_section_gets_it(query: str, begins: bool) -> None:
    given = found()
    special = next(unit for unit in units(given.hits) if unit.headings)

    assert opens(query, special, given.hits) is begins
    assert not opens(query, special, [Hit(hit.passage, neighbour=bool(place)) for place, hit in enumerate(given.hits)])


@pytest.mark.parametrize(("query", "begins"), [("is there a trial", True), ("is there a trial for long stays", False)])
def test_who_asks_for_no_more_than_the_title_says_gets_it_whatever_a_heading_names(query: str, begins: bool) -> None:
    body = "Every account starts with a trial.\n\n## When the trial ends, and long stays\n\nThe trial ends on day 15."
    given = evidence(query, article(body, "a:trial", title="How the trial works"), merge=0)
    special = next(unit for unit in units(given.hits) if unit.headings)

    assert opens(query, special, given.hits) is begins


def test_the_opening_comes_first_and_nothing_is_said_twice() -> None:
    given = found()
    first, second = opening("a:payouts", given.hits)
    special = next(unit for unit in units(given.hits) if unit.headings)
    quoted = [Claim(special.lines[0], (special.hit.passage.id,))]

    made = begun_with([first, second], quoted, special)
    again = begun_with([first, second], [Claim(first.lines[0], (first.hit.passage.id,))], first)

    assert [claim.text for claim in made] == [*first.lines, *second.lines, f"**Long stays:**\n\n{special.lines[0]}"]
    assert [claim.text for claim in again] == [first.lines[0]]


@pytest.mark.parametrize(
    ("query", "begins"), [("can I get money early", True), ("how do I get money early", False), ("do you pay me", True)]
)
def test_who_asks_whether_is_told_that_before_the_steps(query: str, begins: bool) -> None:
    given = found("We pay on the day after arrival.\n\n## Set your rhythm\n\n1. Open Payouts.\n2. Choose Weekly.")
    steps = next(unit for unit in units(given.hits) if unit.kind == "steps")

    assert opens(query, steps, given.hits) is begins
