"""Commands on the pages for operators can be typed as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperGroup

from handrail.cli.app import app
from tests.deploy.tools import DEPLOY

ROOT = DEPLOY.parent
PAGES = ("go-live", "embed", "single-sign-on", "scale-out", "backup", "harden")
BY_COMPOSE = re.compile(r"docker compose run --rm (?:sync|server) (.+)")
DIRECTLY = re.compile(r"(?:.*[\s/'])?handrail +(.+)")
OTHERS = ("git ", "kubectl ", "helm ", "cp ", "useradd ", "chown ", "mkdir ")


def commands(page: str) -> Iterator[list[str]]:
    """Arguments of `handrail` in the blocks and quoted words of a page."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.S | re.M)
    lines = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
    lines += re.findall(r"`(handrail [^`]+)`", text)
    for line in lines:
        typed = line.split("  #")[0].strip()
        match = BY_COMPOSE.fullmatch(typed) or DIRECTLY.fullmatch(typed)
        if match and not line.startswith(OTHERS):
            yield shlex.split(match[1].rstrip("'"))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_on_a_page_exists(page: str) -> None:
    for words in commands(page):
        command = typer.main.get_command(app)
        rest = list(words)
        while isinstance(command, TyperGroup) and rest:
            assert rest[0] in command.commands, f"{page}: handrail {' '.join(words)}"
            command = command.commands[rest.pop(0)]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in rest if word.startswith("--")} <= known, f"{page}: handrail {' '.join(words)}"


def test_there_are_commands_to_look_at() -> None:
    found = [words[0] for page in PAGES for words in commands(page)]

    assert {"init", "sync", "doctor", "ask", "desk", "backup", "restore", "upgrade", "context", "tenant"} <= set(found)


def test_files_that_the_pages_name_are_there() -> None:
    for page in PAGES:
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        for path in re.findall(r"(?:handrail/)?(deploy/[\w./-]+)", text):
            assert (ROOT / path).exists() or list(ROOT.glob(f"{path}*")), f"{page}: {path}"
