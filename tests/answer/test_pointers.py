"""A table that only names the section with the answer is followed there."""

from __future__ import annotations

import pytest

from handrail.answer.pointers import followed
from handrail.answer.units import Unit, units
from tests.generate.answering import answer, scorer_of, texts
from tests.generate.articles import evidence
from tests.knowledge.articles import article

pytestmark = pytest.mark.anyio

TROUBLE = article(
    """| Symptom | Section |
| --- | --- |
| No slots | [Nothing is offered](#nothing-is-offered) |
| Payment fails | Elsewhere |

## Nothing is offered

Usually somebody is away.

1. Open Availability.
2. Look for holidays.

## Other things

Nothing is offered at night.""",
    "a:trouble",
    title="Customers cannot book",
)


def found() -> list[Unit]:
    return units(evidence("no slots", TROUBLE, merge=0).hits)


def named(given: list[Unit], words: str) -> Unit:
    return next(unit for unit in given if words in unit.lines[0] and unit.kind != "table")


def test_the_steps_fit_as_well_as_the_row_that_points_to_them_and_stand_for_it() -> None:
    given = found()
    row, steps = named(given, "No slots"), named(given, "Open Availability")

    assert followed([row, steps], [3.0, -2.0], given) == ([steps], [3.0], frozenset())
    assert followed([steps, row], [5.0, 3.0], given) == ([steps], [5.0], frozenset())
    assert followed([row], [3.0], given) == ([steps], [3.0], frozenset())


def test_the_table_of_such_a_row_is_told() -> None:
    given = found()
    row, table = named(given, "No slots"), next(unit for unit in given if unit.kind == "table")

    assert followed([table, row], [3.0, 3.0], given)[2] == {id(table)}
    assert followed([table], [3.0], given) == ([table], [3.0], frozenset())


def test_a_row_that_names_no_section_is_left_alone() -> None:
    given = found()
    row, sentence = named(given, "Payment fails"), named(given, "Usually")

    assert followed([row, sentence], [3.0, 1.0], given) == ([row, sentence], [3.0, 1.0], frozenset())


def test_an_empty_cell_points_nowhere() -> None:
    body = "Shops open at nine.\n\n## Sizes\n\n| Size | Note |\n| --- | --- |\n| Small | |\n| Large | heavy |"
    given = units(evidence("small", article(body), merge=0).hits)
    row = named(given, "Small")

    assert any(unit.headings == () for unit in given)
    assert followed([row], [3.0], given) == ([row], [3.0], frozenset())


async def test_the_answer_is_what_the_section_says_and_not_its_name() -> None:
    scorer = scorer_of({"No slots": 4.0, "Availability": -3.0, "away": -3.0, "": -5.0})
    try:
        draft = await answer(scorer, evidence("no slots", TROUBLE, merge=0))
    finally:
        scorer.close()

    assert any("Open Availability" in text for text in texts(draft))
    assert not any("| No slots" in text for text in texts(draft))
