"""The prompt of `handrail chat` in a real terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import selectors
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from handrail.cli.ask import show
from handrail.types import Escalation, Offer, Outcome, Routing
from tests.api.scripted import turn_of
from tests.sections import BOTH, CLOSEST
from tests.stages import ask

CTRL_C, CTRL_D = "\x03", "\x04"
PROGRAM = """
import fcntl, readline, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from handrail.cli.chat import _read_line
for _ in range(2):
    print(f"<{_read_line()}>", flush=True)
"""
PATIENCE_S = 60
PASTES = re.compile(rb"\x1b\[\?2004[hl]\r?")
"""How a line editor turns the marking of pasted text on and off."""


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["how?\n", "why?\n"], ["<how?>\r\n› ", "<why?>"]),
        ([CTRL_C, CTRL_D], ["<None>\r\n› ", "<None>"]),
        (["half typed", CTRL_C, "how?\n"], ["half typed", "<>\r\n› ", "<how?>"]),
    ],
)
def test_ctrl_c_takes_back_what_was_typed_and_leaves_at_an_empty_prompt(typed: list[str], told: list[str]) -> None:
    with _running([sys.executable, "-c", PROGRAM]) as terminal:
        screen = _until(terminal, b"", "› ")
        for keys, line in zip(typed, told, strict=True):
            os.write(terminal, keys.encode())
            screen = _until(terminal, screen, line, again=keys if keys == CTRL_C else "")


@pytest.mark.models
def test_a_terminal_says_what_it_waits_for_while_models_load(tmp_path: Path) -> None:
    program = "from handrail.cli.app import main; main()"
    data = {"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path), "TERM": "xterm", "COLUMNS": "120"}

    with _running([sys.executable, "-c", program, "chat", "--kb", "nothing-here"], {**os.environ, **data}) as terminal:
        screen = _until(terminal, b"", "loading models and articles")
        _until(terminal, screen, "nothing-here")


@pytest.mark.parametrize(("offer", "told"), [(Offer.BUTTON, True), (Offer.NONE, False)])
def test_where_a_person_is_offered_a_terminal_says_where_to_find_one(
    offer: Offer, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show(turn_of(ask(), Outcome(Routing.CANNOT_ANSWER, "A person can.", escalation=Escalation(offer))))

    assert ("handrail serve" in capsys.readouterr().out) is told


@contextlib.contextmanager
def _running(command: list[str], env: Mapping[str, str] | None = None) -> Iterator[int]:
    """Our end of a terminal in which `command` runs."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=env
    ) as process:
        os.close(theirs)
        try:
            yield ours
        finally:
            process.kill()
            os.close(ours)


def _until(terminal: int, screen: bytes, wanted: str, again: str = "") -> bytes:
    """What stands on the screen behind `wanted`, once that has been written.

    `again` is typed once more after a while: a key may come before the line editor listens.
    """
    while wanted.encode() not in screen:
        with selectors.DefaultSelector() as selector:
            selector.register(terminal, selectors.EVENT_READ)
            ready = selector.select(5 if again else PATIENCE_S)
        if again and not ready:
            os.write(terminal, again.encode())
            again = ""
            continue
        assert ready, f"{wanted!r} was not written; there is {screen!r}"
        screen = PASTES.sub(b"", screen + os.read(terminal, 4096))
    return screen.partition(wanted.encode())[2]


def test_folded_sections_are_printed_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    show(turn_of(ask(), BOTH))

    printed = capsys.readouterr().out
    assert "Close the tap." in printed
    assert printed.count("A frozen hose bursts.") == 1


def test_an_open_card_is_printed_with_its_text_and_a_closed_one_with_its_address(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show(turn_of(ask(), CLOSEST))

    printed = capsys.readouterr().out
    assert CLOSEST.disclaimer is not None and CLOSEST.disclaimer in printed
    assert "Winter › Hoses › Frost" in printed
    assert printed.count("A frozen hose bursts.") == 1
    assert "Water the beds › By timer https://help.example/garden:water" in printed
    assert "Close the tap." not in printed
