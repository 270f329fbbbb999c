"""A short run of the load; `python -m tests.load.streams --seconds 600` is the full one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.load.streams import FIRST_TOKEN_S, GAP_S, server, streams_at_once
from tests.scripted_openai import Quotes, scripted_openai

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.models]

STREAMS, SECONDS = 40, 5.0


async def test_streams_at_once_all_come_to_their_end(sample_index: Path) -> None:
    with scripted_openai() as model:
        model.script(Quotes(FIRST_TOKEN_S, GAP_S))
        with server(model.url, sample_index) as (url, process):
            figures = await streams_at_once(url, process, STREAMS, SECONDS)

    assert figures.errors == []
    assert len(figures.complete) >= STREAMS
    assert sum(count for name, count in figures.outcomes.items() if name.endswith("/llm")) > 0
    assert figures.summary()["rss_mb"]["most"] < 1500
