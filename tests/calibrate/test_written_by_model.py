"""Questions and near-misses that a language model writes, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from handrail.calibrate import Asked
from handrail.calibrate.written import GIVE_UP_AFTER, Writer
from handrail.llm import connect
from handrail.llm.meter import Bounds, Meter, metering
from handrail.llm.prompts import LocalPrompts, PromptLibrary
from handrail.settings import Brand, Llm
from handrail.stores import snapshot as snapshots
from handrail.stores.snapshot import Snapshot
from handrail.types import Passage
from tests.knowledge.articles import HashedWords
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.tune.shop import passages

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

WRITES = Says(
    {"answered": ["my thing broke", " my  thing broke "], "beside": ["is it blue", "is it red", "my thing broke"]}
)
CHECKS = Says({"numbers": [2, 9]})


@pytest.fixture
def snapshot() -> Snapshot:
    rows = passages(4)
    return snapshots.build(rows, HashedWords()([row.embedding_text for row in rows]))


async def write(
    server: ScriptedOpenAI, snapshot: Snapshot, file: Path, bounds: Bounds | None = None
) -> tuple[list[Asked], Meter, list[tuple[int, int]]]:
    async def search(question: str) -> Sequence[Passage]:
        return snapshot.passages[:2]

    models = connect(Llm(base_url=server.url, retries=0, breaker_after=0))
    done: list[tuple[int, int]] = []
    with metering(bounds) as meter:
        writer = Writer(models.small, PromptLibrary(LocalPrompts()), Brand(), file, search)
        try:
            rows = await writer.write(snapshot, 1000, lambda number, of: done.append((number, of)))
        finally:
            await models.aclose()
    return rows, meter, done


async def test_near_misses_are_those_that_stay_open(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    llm_provider.script(*[WRITES, CHECKS] * len(snapshot.titles))

    rows, _, done = await write(llm_provider, snapshot, tmp_path / "questions.jsonl")

    assert [(row.question, row.answerable) for row in rows] == [("my thing broke", True), ("is it red", False)]
    assert {row.origin for row in rows} == {"llm"}
    assert done[-1] == (len(snapshot.titles), len(snapshot.titles))
    asked = llm_provider.requests[1].user
    assert "1. is it blue\n2. is it red" in asked and snapshot.passages[0].text.split("\n")[0] in asked


async def test_an_interrupted_run_pays_for_no_article_twice(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    file = tmp_path / "fitted" / "questions.jsonl"
    llm_provider.script(*[WRITES, CHECKS] * len(snapshot.titles))
    first, meter, _ = await write(llm_provider, snapshot, file, Bounds(requests=4))
    assert meter.requests == 4 and len(file.read_text().split()) > 0
    file.write_text(file.read_text() + '\n{"key": "half')

    llm_provider.script(*[WRITES, CHECKS] * len(snapshot.titles))
    second, meter, _ = await write(llm_provider, snapshot, file)

    assert meter.requests == 2 * (len(snapshot.titles) - 2)
    assert {row.question for row in first} <= {row.question for row in second}
    assert sum(line.startswith('{"key"') and line.endswith("}") for line in file.read_text().splitlines()) == len(
        snapshot.titles
    )


async def test_what_may_be_spent_is_not_exceeded(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    llm_provider.script(*[WRITES, CHECKS] * len(snapshot.titles))

    rows, meter, _ = await write(llm_provider, snapshot, tmp_path / "questions.jsonl", Bounds(tokens=240))

    assert rows and meter.usage.input_tokens + meter.usage.output_tokens == 240


async def test_a_provider_that_fails_is_left_alone(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    llm_provider.script(Fails(500))

    rows, _, _ = await write(llm_provider, snapshot, tmp_path / "questions.jsonl")

    assert rows == []
    assert len(llm_provider.requests) == GIVE_UP_AFTER
    assert not (tmp_path / "questions.jsonl").exists()


async def test_answers_that_are_no_json_keep_nothing(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    llm_provider.script(Says(json.dumps(["no", "object"])))

    assert (await write(llm_provider, snapshot, tmp_path / "questions.jsonl"))[0] == []
