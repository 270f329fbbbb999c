"""A conversation of `handrail chat` saved as Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.cli.chat import Session
from handrail.cli.transcript import Transcript
from handrail.errors import PermanentError, RetryableError
from handrail.settings import Settings
from handrail.types import Outcome, Question, Turn
from tests.api.scripted import ANSWERED, turn_of
from tests.sections import CLOSEST

pytestmark = pytest.mark.anyio


def session(*results: Outcome | Exception, save: Path | None = None) -> Session:
    left = list(results)

    async def answer(question: Question) -> Turn:
        result = left.pop(0)
        if isinstance(result, Exception):
            raise result
        return turn_of(question, result)

    async def forget(conversation_id: str) -> None:
        return None

    return Session(answer, forget, Settings(), as_json=True, lang="en", save=save)


async def test_what_was_said_is_saved_with_its_sources(tmp_path: Path) -> None:
    file = tmp_path / "what was said.md"
    chat = session(ANSWERED, CLOSEST)

    for line in ("How do I connect\ta domain?", "and hoses?", f"/save {file}"):
        assert await chat.step(line)

    said = file.read_text()
    assert "> How do I connect a domain?" in said or "> How do I connect\ta domain?" in said
    assert "Open **Settings** and choose **Domains** [1]." in said
    assert "- [1] [Connect a domain](<https://help.tillwick.example/domains/connect#steps>)" in said
    assert said.index("Domains** [1]") < said.index("> and hoses?") < said.index("There is no clear answer to this.")
    assert "A frozen hose bursts." in said
    assert "Close the tap." not in said, "a closed card is its heading"


async def test_with_a_file_from_the_start_each_turn_is_on_disk_at_once_and_failures_leave_it(tmp_path: Path) -> None:
    file = tmp_path / "talk.md"
    chat = session(ANSWERED, RetryableError("busy"), ANSWERED, save=file)

    await chat.step("first?")
    after_one = file.read_text()
    await chat.step("second?")
    await chat.step("/new")
    await chat.step("third?")

    said = file.read_text()
    assert "> first?" in after_one and "> third?" not in after_one
    assert said.startswith(after_one.rstrip())
    assert "second?" not in said
    assert "---" in said[: said.index("> third?")], "a new conversation begins"


async def test_a_file_of_others_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes.md"
    file.write_text("mine")
    chat = session(ANSWERED)

    await chat.step("first?")
    assert await chat.step(f"/save {file}")
    assert await chat.step("/save")
    assert await chat.step(f"/save {tmp_path}/nowhere/talk.md")

    told = " ".join(capsys.readouterr().err.split())
    assert file.read_text() == "mine"
    assert "is there already. Name another file" in told
    assert "name a file: /save conversation.md" in told
    assert "can't be written: No such file or directory" in told
    with pytest.raises(PermanentError, match="is there already"):
        Transcript("Assistant").check(file)
    with pytest.raises(PermanentError, match="there is no folder"):
        Transcript("Assistant").check(tmp_path / "nowhere" / "talk.md")
