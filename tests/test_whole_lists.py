"""Asked for by its title, each procedure of the sample help centre is shown whole, or it is said how much of it is."""

from __future__ import annotations

import re
from collections import Counter
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
SHORT = 3
"""Words of a step such as "Select Save.", which may be how another one begins."""
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


def articles() -> dict[str, tuple[str, str]]:
    """Title and body of each that holds a numbered list, by id."""
    found = {}
    folder = Path(sample_folder())
    for path in sorted(folder.rglob("*.md")):
        _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
        title = re.search(r"^title: (.+)$", head, re.M)
        if title and re.search(r"^1\. ", body, re.M):
            found[":".join(path.relative_to(folder).with_suffix("").parts)] = (title[1].strip("\"'"), body)
    return found


async def lacking(assistant: Assistant, question: str) -> tuple[str, list[str]]:
    """The answer, and what it lacks of the sections of which it shows a step that no other section has."""
    turn = await assistant.ask(Question(question, uuid4().hex, uuid4().hex))
    said, lacks, known = plain(turn.outcome.answer), [], articles()
    for article in {citation.passage.article_id for citation in turn.outcome.citations} & known.keys():
        found = list(sections(known[article][1]))
        steps = Counter(step for section in found for step in section.steps)
        for section in found:
            if any(steps[step] == 1 and len(step.split()) > SHORT and step in said for step in section.steps):
                lacks += [text for text in (*section.steps, *section.notes) if text not in said]
    return turn.outcome.answer, lacks


async def test_each_procedure_is_shown_whole_or_said_to_be_cut(assistant: Assistant) -> None:
    titles = [title for title, _ in articles().values()]
    answers = {title: await lacking(assistant, title) for title in titles}

    assert len(titles) > 100
    assert {title: lacks for title, (said, lacks) in answers.items() if lacks and not HONEST.search(said)} == {}
    assert sum(bool(re.search(r"^1\. ", said, re.M)) for said, _ in answers.values()) > len(titles) / 2


async def test_the_questions_of_the_demo_are_answered_with_every_step_and_warning(assistant: Assistant) -> None:
    for chip in assistant.settings.brand.suggestions:
        answer, lacks = await lacking(assistant, chip)
        assert re.search(r"^1\. ", answer, re.M), chip
        assert lacks == [], chip


async def test_the_first_of_them_warns_of_what_takes_a_site_down(assistant: Assistant) -> None:
    answer, _ = await lacking(assistant, assistant.settings.brand.suggestions[0])

    assert "DNSSEC, switch it off" in answer
    assert "Changing the nameservers switches off all DNS records" in answer
