"""A fixed set of questions, asked again and again, whose answers are graded like those to visitors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from handrail.desk.drift.judging import Given, Judged, judged, judged_against
from handrail.errors import PermanentError
from handrail.llm.judge import Judge
from handrail.records.facts import article_of
from handrail.types import ANSWERING

WORST = 1
FROM_ELSEWHERE = 2
"""The most an answer gets that cites none of the articles it should: on the judge's scale, it is about the topic."""


class GoldenError(PermanentError):
    """A golden set that cannot be read; the message names the line."""


class Golden(BaseModel):
    """A question that the articles answer. Other fields of a row are ignored."""

    id: str = Field(min_length=1, max_length=100)
    question: str = Field(min_length=1, max_length=4000)
    expected_articles: list[str] = []
    """Of which at least one has to be cited."""
    must_say: list[str] = []
    """Statements that the answer has to make, in whatever words."""


def read(path: Path) -> list[Golden]:
    """One JSON object per line. Raises GoldenError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise GoldenError(f"{path} can't be read: {error}") from None
    rows: dict[str, Golden] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = Golden.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the row"
            raise GoldenError(f"{path} line {number}: {where}: {first['msg']}") from None
        if row.id in rows:
            raise GoldenError(f"{path} line {number}: the id {row.id!r} is taken. Every question needs its own")
        rows[row.id] = row
    if not rows:
        raise GoldenError(f'{path} has no questions. Write one {{"id": "…", "question": "…"}} per line')
    return list(rows.values())


async def graded(judge: Judge, row: Golden, response: Mapping[str, Any]) -> Judged:
    """The lowest of what the judge finds and of what the row asks for; `response` is as `/ask` sends it.

    Raises RetryableError or PermanentError when the judge fails.
    """
    if response["routing"] not in ANSWERING:
        return Judged(WORST, f"not answered: {response['routing']}")
    given = Given(row.question, response["citations"], response["claims"], response["closest"])
    found = [await judged(judge, given) or Judged(WORST, "cites nothing")]
    if row.expected_articles and cited(response).isdisjoint(row.expected_articles):
        found.append(Judged(FROM_ELSEWHERE, f"not from {', '.join(row.expected_articles)}"))
    if row.must_say:
        found.append(await judged_against(judge, given, response["answer"], row.must_say))
    return min(found, key=lambda one: one.grade)


def cited(response: Mapping[str, Any]) -> set[str]:
    """Articles that a visitor is shown."""
    cards = (card["piece"]["article_id"] for card in response["closest"])
    return {*(article_of(citation) for citation in response["citations"]), *cards}
