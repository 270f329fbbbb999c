"""Questions are checked by a turn that nobody waits for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from handrail.assembly.parts import Parts
from handrail.assembly.suggesting import local_check
from handrail.settings import Settings
from handrail.types import Evidence, Probe, Wordings
from handrail.types.filters import Filters
from tests.stages import EVIDENCE, STEPS, WORDING, Retrieves, stages


class Busy(Retrieves):
    async def retrieve(
        self, query: str, filters: Filters, probe: Probe | None = None, wordings: Wordings | None = None
    ) -> Evidence:
        await asyncio.sleep(1.1)
        return await super().retrieve(query, filters, probe, wordings)


@pytest.mark.anyio
async def test_a_check_may_take_longer_than_the_turn_of_a_visitor() -> None:
    settings = Settings.model_validate({"server": {"turn_deadline_s": 1.0}})
    parts = cast(Parts, SimpleNamespace(snapshot=SimpleNamespace(lang="en")))

    citations = await local_check(settings, parts, WORDING, stages(retriever=Busy(EVIDENCE)))("domain")

    assert citations is not None
    assert citations[0].passage is STEPS
