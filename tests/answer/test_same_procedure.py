"""Two articles may tell how to do the same."""

from __future__ import annotations

import pytest

from handrail.answer.compose import compose
from handrail.answer.quoting import Scored
from handrail.answer.units import units
from handrail.settings import Generate
from tests.generate.articles import evidence
from tests.knowledge.articles import article


@pytest.mark.parametrize(("heading", "quoted"), [("Charge a fee", 3), ("Waive a fee", 6)])
def test_how_to_do_the_same_is_told_once(heading: str, quoted: int) -> None:
    here = article(
        "## Charge a fee\n\n1. Open the booking.\n2. Check the sum.\n3. Select **Charge**.\n", "s:fees", "Fees"
    )
    there = article(f"## {heading}\n\n1. Find it.\n2. Choose why.\n3. Say **Yes**.\n", "s:rules", "Rules")
    found = [unit for unit in units(evidence("charge", here, there).hits) if unit.kind == "steps"]

    made = compose([Scored(unit, 4 - place, 4) for place, unit in enumerate(found)], found, Generate())

    assert len(made) == quoted
