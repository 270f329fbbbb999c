"""Asked for by its title, each procedure of the sample help centre is shown whole, or it is said how much of it is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from handrail.assembly import Assistant
from handrail.commands.ingest import sample_folder
from handrail.types import Question
from tests.sample import sample_settings

pytestmark = [pytest.mark.anyio, pytest.mark.models]

MARK = re.compile(r"\s*\[\d+\]|\[([^\]]*)\]\([^)]*\)|[*`>]|^\s*\d+\.\s", re.M)
HONEST = re.compile(r"\b\d+ of \d+\b")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def assistant(sample_index: Path) -> AsyncIterator[Assistant]:
    assistant = Assistant(sample_settings(sample_index))
    await assistant.start()
    yield assistant
    await assistant.stop()


@dataclass
class Section:
    steps: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def sections(text: str) -> Iterator[Section]:
    """Top items of numbered lists and quoted notes, as plain words, by section; read here without the product."""
    for part in re.split(r"^#+ .*$", text, flags=re.M):
        steps = re.findall(r"^\d+\. (.+)$", part, re.M)
        notes = [" ".join(note.split("\n")) for note in re.findall(r"(?:^> .+\n?)+", part, re.M)]
        yield Section([plain(step) for step in steps], [plain(note) for note in notes])


def plain(text: str) -> str:
    return " ".join(MARK.sub(lambda found: found[1] or " ", text).split()).replace(" .", ".").replace(" :", ":")


def articles() -> list[tuple[str, str]]:
    """Title and body of each that holds a numbered list."""
    found = []
    for path in sorted(Path(sample_folder()).rglob("*.md")):
        _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
        title = re.search(r"^title: (.+)$", head, re.M)
        if title and re.search(r"^1\. ", body, re.M):
            found.append((title[1].strip("\"'"), body))
    return found


async def shown(assistant: Assistant, question: str) -> str:
    turn = await assistant.ask(Question(question, uuid4().hex, uuid4().hex))
    return turn.outcome.answer


def missing(answer: str, bodies: list[str]) -> list[str]:
    """What an answer lacks of the sections of which it shows a step."""
    said, lacks = plain(answer), []
    for body in bodies:
        for section in sections(body):
            if sum(step in said for step in section.steps) > len(section.steps) / 2:
                lacks += [text for text in (*section.steps, *section.notes) if text not in said]
            elif any(step in said for step in section.steps if len(step.split()) > 6):
                lacks += [text for text in section.steps if text not in said]
    return lacks


async def test_each_procedure_is_shown_whole_or_said_to_be_cut(assistant: Assistant) -> None:
    everything = articles()
    bodies = [body for _, body in everything]
    cut = {}
    for title, _ in everything:
        answer = await shown(assistant, title)
        lacks = missing(answer, bodies)
        if lacks and not HONEST.search(answer):
            cut[title] = lacks

    assert len(everything) > 100
    assert cut == {}


async def test_the_questions_of_the_demo_are_answered_with_every_step_and_warning(assistant: Assistant) -> None:
    bodies = [body for _, body in articles()]
    for chip in assistant.settings.brand.suggestions:
        answer = await shown(assistant, chip)
        assert re.search(r"^1\. ", answer, re.M), chip
        assert missing(answer, bodies) == [], chip


async def test_the_first_of_them_warns_of_what_takes_a_site_down(assistant: Assistant) -> None:
    answer = await shown(assistant, assistant.settings.brand.suggestions[0])

    assert "DNSSEC, switch it off" in answer
    assert "Changing the nameservers switches off all DNS records" in answer
