"""The whole product starts, stops and says what is missing: real models, real index."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.assembly import Assistant
from handrail.errors import HandrailError, KnowledgeError, ModelUnavailable
from tests.sample import sample_settings
from tests.stages import ask

pytestmark = [pytest.mark.anyio, pytest.mark.models]


async def test_it_stops_and_starts_again(sample_index: Path) -> None:
    assistant = Assistant(sample_settings(sample_index))
    await assistant.start()
    before = await assistant.ask(ask("How do I add a favicon?"))

    await assistant.stop()
    stopped = assistant.ready
    with pytest.raises(HandrailError, match="not ready"):
        await assistant.ask(ask())
    await assistant.start()
    after = await assistant.ask(ask("How do I add a favicon?"))
    await assistant.stop()
    await assistant.stop()

    assert not stopped
    assert after.outcome == before.outcome


async def test_without_an_index_readiness_says_how_to_make_one(tmp_path: Path) -> None:
    assistant = Assistant(sample_settings(tmp_path))

    with pytest.raises(KnowledgeError):
        await assistant.start()

    assert not assistant.ready
    assert "handrail ingest PATH --kb sample" in assistant.readiness()["index"]


async def test_without_models_readiness_says_how_to_get_them(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL_CACHE", str(tmp_path))
    assistant = Assistant(sample_settings(sample_index))

    with pytest.raises(ModelUnavailable):
        await assistant.start()

    assert not assistant.ready
    assert "handrail models fetch" in assistant.readiness()["models"]
