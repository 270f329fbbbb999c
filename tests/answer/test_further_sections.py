"""Which further sections an answer quotes."""

from __future__ import annotations

from dataclasses import replace

from handrail.answer.compose import compose
from handrail.answer.quoting import Scored
from handrail.answer.units import units
from handrail.settings import Generate
from tests.generate.articles import evidence
from tests.generate.test_compose import COSTS, TIMES


def test_no_section_of_a_passage_that_ranks_low_is_added() -> None:
    found = units(evidence("post", COSTS, TIMES).hits)
    low = [replace(unit, hit=replace(unit.hit, final=0.4)) if unit.hit.passage.id != found[0].hit.passage.id else unit
           for unit in found]  # fmt: skip

    added, alone = (
        compose([Scored(unit, 4 - place, -6) for place, unit in enumerate(some)], some, Generate())
        for some in (found, low)
    )

    assert len({claim.passage_ids for claim in added}) == 2
    assert len({claim.passage_ids for claim in alone}) == 1
