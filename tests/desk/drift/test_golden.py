"""A golden set is read with its mistakes named, and graded by the lowest of what is asked of an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from handrail.desk.drift.golden import Golden, GoldenError, graded, read
from handrail.llm.judge import connected
from handrail.settings import Settings
from handrail.turn.present import response
from handrail.types import Question
from tests.api.scripted import turn_of
from tests.scripted_openai import Says, ScriptedOpenAI

pytestmark = pytest.mark.anyio

ANSWER = response(turn_of(Question("How do I connect my domain?", "c", "t")))
ANSWER["claims"] = [{"text": "Open Settings and choose Domains.", "citations": [1]}]
RATED = {"unsupported": [], "faithfulness": 5, "relevancy": 4, "contradicts": False, "held": []}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('{"question": "x"}', "line 2: id"),
        ('{"id": "a", "question": "x"}', "the id 'a' is taken"),
        ('{"id": "b", "question": ""}', "line 2: question"),
        ("no json", "line 2"),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str, named: str) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text(f'{{"id": "a", "question": "x", "extra": 1}}\n{line}\n')

    with pytest.raises(GoldenError, match=named):
        read(path)


@pytest.mark.parametrize(
    ("row", "given", "grade", "requests"),
    [
        ({}, [], 4, 1),
        ({"expected_articles": ["domains:connect"]}, [], 4, 1),
        ({"expected_articles": ["billing:cancel"]}, [], 2, 1),
        ({"must_say": ["Open Settings", "Choose Domains"]}, [1, 2], 4, 2),
        ({"must_say": ["Open Settings", "Wait an hour"]}, [1, 9], 3, 2),
        ({"must_say": ["Wait an hour"]}, [], 1, 2),
    ],
)
async def test_the_lowest_counts(
    llm_provider: ScriptedOpenAI, tmp_path: Path, row: dict[str, Any], given: list[int], grade: int, requests: int
) -> None:
    llm_provider.script(Says({**RATED, "given": given}))

    found, asked = await _graded(llm_provider, tmp_path, row, ANSWER)

    assert (found, asked) == (grade, requests)


async def test_a_denial_and_a_refusal_get_the_lowest_grade(llm_provider: ScriptedOpenAI, tmp_path: Path) -> None:
    llm_provider.script(Says({**RATED, "given": [1], "contradicts": True}))

    assert (await _graded(llm_provider, tmp_path, {"must_say": ["Open Settings"]}, ANSWER))[0] == 1
    assert await _graded(llm_provider, tmp_path / "b", {}, {**ANSWER, "routing": "cannot_answer"}) == (1, 2)


async def _graded(server: ScriptedOpenAI, folder: Path, row: dict[str, Any], answer: dict[str, Any]) -> tuple[int, int]:
    judge = connected(Settings.model_validate({"judge": {"base_url": server.url}, "storage": {"data_dir": folder}}))
    assert judge is not None
    golden = Golden.model_validate_json(json.dumps({"id": "a", "question": "How do I connect my domain?", **row}))
    try:
        return (await graded(judge, golden, answer)).grade, len(server.requests)
    finally:
        await judge.aclose()
