"""Small folders of articles with a question each: is what must be in the answer there, and nothing that must not?"""

from __future__ import annotations

import asyncio
import json
import shutil
import stat
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.console import Console

from eval.selection import index, on
from handrail.assembly import Assistant
from handrail.errors import KnowledgeError
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from handrail.types import Outcome, Question

EXPECTED = "expected.jsonl"


class Case(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    folder: str
    """Of the articles, beside the file of cases; `.` is all folders beside it."""
    question: str
    must: list[str] = Field(default_factory=list)
    must_not: list[str] = Field(default_factory=list)
    or_says_more: bool = False
    """An answer that is folded, so that its reader sees that there is more, may lack some of what it must hold."""


@dataclass(frozen=True, slots=True)
class Verdict:
    id: str
    question: str
    routing: str
    missing: list[str]
    """Of what the answer must hold."""
    present: list[str]
    """Of what nothing that is shown may hold."""
    answer: str

    @property
    def passed(self) -> bool:
        return not (self.missing or self.present)


def read(file: Path) -> list[Case]:
    """Raises KnowledgeError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise KnowledgeError(f"{file} can't be read: {error}") from None
    cases = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            cases.append(Case.model_validate(json.loads(line)))
        except (ValueError, ValidationError) as error:
            raise KnowledgeError(f"{file}, line {number}: {error}") from None
    if not cases:
        raise KnowledgeError(f"{file} holds no cases")
    return cases


def check(settings: Settings, path: Path, notes: Console) -> Iterator[Verdict]:
    """Each folder is a knowledge base of its own, which is removed afterwards. Raises HandrailError.

    `path` is the file of cases, or the folder that holds it as `expected.jsonl`. Files beside it aren't articles.
    """
    file = path / EXPECTED if path.is_dir() else path
    cases = sorted(read(file), key=lambda case: case.folder)
    for name, own in groupby(cases, key=lambda case: case.folder):
        place = file.parent / name
        if not place.is_dir():
            raise KnowledgeError(f"{place} is no folder of articles")
        with TemporaryDirectory() as scratch:
            articles = Path(scratch) / "articles"
            shutil.copytree(place, articles, ignore=lambda at, names, place=place: _beside(file, Path(at), names))
            for copied in (articles, *articles.rglob("*")):
                copied.chmod(copied.stat().st_mode | stat.S_IWUSR)  # else a read-only folder could not be removed
            storage = settings.storage.model_copy(update={"data_dir": Path(scratch) / "data"})
            here = on(settings.model_copy(update={"storage": storage}), "cases")
            knowledge = here.knowledge
            index(here, Folder(articles, knowledge.url_base, knowledge.max_article_bytes), notes)
            yield from asyncio.run(_asked(here, list(own)))


def _beside(file: Path, folder: Path, names: Sequence[str]) -> set[str]:
    """Files in the folder of the file of cases."""
    return {name for name in names if folder == file.parent and (folder / name).is_file()}


async def _asked(settings: Settings, cases: Sequence[Case]) -> list[Verdict]:
    assistant = Assistant(settings)
    await assistant.start()
    try:
        return [await _verdict(assistant, case) for case in cases]
    finally:
        await assistant.stop()


async def _verdict(assistant: Assistant, case: Case) -> Verdict:
    turn = await assistant.ask(Question(case.question, f"c-{uuid.uuid4()}", str(uuid.uuid4())))
    outcome = turn.outcome
    answer, shown = outcome.answer.casefold(), "\n".join(_shown(outcome)).casefold()
    missing = [words for words in case.must if words.casefold() not in answer]
    if case.or_says_more and any(piece.collapsed_after is not None for piece in outcome.pieces):
        missing = []
    present = [words for words in case.must_not if words.casefold() in shown]
    return Verdict(case.id, case.question, outcome.routing.value, missing, present, outcome.answer)


def _shown(outcome: Outcome) -> Iterator[str]:
    yield outcome.answer
    yield from outcome.suggestions
    for citation in outcome.citations:
        yield citation.passage.title
    for card in outcome.closest:
        yield card.piece.heading
        yield card.piece.markdown


def as_json(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    return [{**asdict(one), "passed": one.passed} for one in verdicts]
