"""What a section lists is quoted with its best sentence where it fits about as well."""

from __future__ import annotations

import pytest

from handrail.answer.compose import compose
from handrail.answer.quoting import Scored
from handrail.answer.units import units
from handrail.knowledge import Article
from handrail.settings import Generate
from tests.generate.articles import evidence
from tests.knowledge.articles import article

NEVER = article("## Never\n\n- Fireworks\n- Petrol in cans\n\nSuch things are taken away.", title="What to bring")
WEEKS = article(
    "## Pregnancy\n\nBabies can travel.\n\n| Weeks | Paper |\n|---|---|\n| Up to 32 | none |\n| From 36 | a letter |",
    title="Medical",
)
ASKED = article("## What is forbidden?\n\n- Fireworks\n- Petrol in cans\n\nThey are taken away.", title="What to bring")


def quoted(one: Article, gap: float, **settings: int) -> list[str]:
    """`gap` points lie between the best sentence and all else."""
    found = units(evidence("q", one).hits)
    best = next(unit for unit in found if unit.kind == "sentence")
    rest = [Scored(unit, 10 - gap, 4) for unit in found if unit is not best]
    return [claim.text for claim in compose([Scored(best, 10, 4), *rest], found, Generate.model_validate(settings))]


def test_a_list_before_the_sentence_comes_before_it() -> None:
    assert quoted(NEVER, 0.5) == ["**Never:**\n\n- Fireworks", "- Petrol in cans", "Such things are taken away."]


def test_a_table_behind_the_sentence_comes_behind_it() -> None:
    table = "| Weeks | Paper |\n|---|---|\n| Up to 32 | none |\n| From 36 | a letter |"

    assert quoted(WEEKS, 0.5) == ["Babies can travel.", table]


@pytest.mark.parametrize("one", [NEVER, WEEKS])
def test_what_fits_worse_is_left_out(one: Article) -> None:
    assert len(quoted(one, 1.5)) == 1


def test_a_list_never_parts_a_question_from_what_answers_it() -> None:
    texts = quoted(ASKED, 0.5)

    assert texts == ["**What is forbidden?**\n\n- Fireworks", "- Petrol in cans", "They are taken away."]


def test_what_is_listed_under_another_heading_is_left_out() -> None:
    elsewhere = article("## Rules\n\nSuch things are taken away.\n\n## Never\n\n- Fireworks\n- Petrol in cans")
    found = units(evidence("q", elsewhere).hits)
    best = next(unit for unit in found if unit.kind == "sentence")
    rest = [Scored(unit, 9.5, -9) for unit in found if unit is not best]

    made = compose([Scored(best, 10, 4), *rest], found, Generate(), sections=1)

    assert [claim.text for claim in made] == ["**Rules:**\n\nSuch things are taken away."]
