"""Questions that a language model writes, over real HTTP: asked once per article, and templates where it fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.llm import connect
from handrail.llm.prompts import LocalPrompts, PromptLibrary
from handrail.settings import Brand, Llm
from handrail.stores import snapshot as snapshots
from handrail.stores.snapshot import Snapshot
from handrail.tune.questions import Asked, made_of
from handrail.tune.written import Writer
from tests.knowledge.articles import HashedWords
from tests.scripted_openai import Fails, Says, ScriptedOpenAI
from tests.tune.shop import passages

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def snapshot() -> Snapshot:
    rows = passages(6)
    return snapshots.build(rows, HashedWords()([row.embedding_text for row in rows]))


async def write(
    server: ScriptedOpenAI, snapshot: Snapshot, file: Path, go_on: Callable[[], bool] = lambda: True
) -> list[Asked]:
    models = connect(Llm(base_url=server.url, retries=0, breaker_after=0))
    writer = Writer(models.small, PromptLibrary(LocalPrompts()), Brand(), file)
    try:
        return await writer.instead(made_of(snapshot, 2), snapshot, go_on, lambda what, done, total: None)
    finally:
        await models.aclose()


async def test_each_article_is_written_about_once(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    llm_provider.script(*[Says({"questions": ["my thing broke", "  my   thing broke ", ""]})] * 6)

    first = await write(llm_provider, snapshot, tmp_path / "tune" / "questions.jsonl")
    asked = len(llm_provider.requests)
    kept = tmp_path / "tune" / "questions.jsonl"
    kept.write_text(kept.read_text() + '\n{"key": "half')
    second = await write(llm_provider, snapshot, tmp_path / "tune" / "questions.jsonl")

    assert [row.text for row in first] == ["my thing broke"] * 6
    assert {row.side for row in first} == {row.side for row in made_of(snapshot, 2)}
    assert second == first
    assert asked == len(llm_provider.requests) == 6


async def test_a_provider_that_fails_leaves_the_made_questions(
    llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path
) -> None:
    llm_provider.script(*[Fails(500)] * 6)

    assert await write(llm_provider, snapshot, tmp_path / "questions.jsonl") == made_of(snapshot, 2)


async def test_without_time_nothing_is_asked(llm_provider: ScriptedOpenAI, snapshot: Snapshot, tmp_path: Path) -> None:
    before = len(llm_provider.requests)

    found = await write(llm_provider, snapshot, tmp_path / "questions.jsonl", lambda: False)

    assert found == made_of(snapshot, 2)
    assert len(llm_provider.requests) == before
