"""The prompt of `handrail chat` in a real terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys

import pytest

CTRL_C, CTRL_D = "\x03", "\x04"
PROGRAM = """
import fcntl, readline, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from handrail.commands.chat import _read_line
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
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        try:
            screen = _until(ours, b"", "› ")
            for keys, line in zip(typed, told, strict=True):
                os.write(ours, keys.encode())
                screen = _until(ours, screen, line)
        finally:
            process.kill()
            os.close(ours)


def _until(terminal: int, screen: bytes, wanted: str) -> bytes:
    """What stands on the screen behind `wanted`, once that has been written."""
    while wanted.encode() not in screen:
        ready, _, _ = select.select([terminal], [], [], PATIENCE_S)
        assert ready, f"{wanted!r} was not written; there is {screen!r}"
        screen = PASTES.sub(b"", screen + os.read(terminal, 4096))
    return screen.partition(wanted.encode())[2]
