"""From an empty folder to an assistant in a company's own pages, by the commands of docs/go-live.md as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.browser.prefix_proxy import PREFIX, proxy
from tests.browser.served import served
from tests.browser.sides import Agent, Visitor, own_page

pytestmark = [pytest.mark.slow, pytest.mark.models]

ROOT = Path(__file__).parents[2]
ARTICLES = ROOT / "tests" / "assembly" / "larchfield"
ANSWERS = {
    "company": "Larchfield Tool Library",
    "offers": "Tools to borrow.",
    "articles": str(ARTICLES),
    "languages": ["en"],
    "person": "shed@larchfield.example",
}
QUESTION = "How do I extend a loan?"
SAID = "by ten days each time"
SAMPLE = re.compile(rb"tillwick", re.I)


def documented() -> list[list[str]]:
    """The commands of the page's block, each with what is set before it."""
    text = (ROOT / "docs" / "go-live.md").read_text(encoding="utf-8")
    block = re.search(r"nine commands:\n\n```\n(.*?)^```", text, re.S | re.M)
    assert block is not None
    return [shlex.split(line, comments=True) for line in block[1].splitlines()]


class Terminal:
    """What an operator types, one after the other, beginning in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.typed: list[str] = []
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAIL_")}
        self.environment = clean | {
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "HANDRAIL__SERVER__PORT": "0",
            "COLUMNS": "200",
        }

    def words(self, command: list[str], *more: str) -> tuple[list[str], dict[str, str]]:
        """A command and its environment, which it may begin with."""
        name = command.index("handrail")
        self.typed.append(command[name + 1])
        set_before = dict(word.split("=", 1) for word in command[:name])
        return [sys.executable, "-m", "handrail", *command[name + 1 :], *more], self.environment | set_before

    def run(self, command: list[str], *more: str) -> str:
        words, environment = self.words(command, *more)
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def go_to(self, command: list[str]) -> None:
        self.typed.append(command[0])
        self.folder /= command[1]

    @contextmanager
    def running(self, command: list[str]) -> Iterator[str]:
        words, environment = self.words(command)
        log = self.folder.parent / "serve.log"
        with log.open("w") as out, subprocess.Popen(words, cwd=self.folder, env=environment, stderr=out) as process:
            try:
                address = ""
                while not address:
                    assert process.poll() is None, log.read_text()
                    found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
                    address = found[0] if found else ""
                while not ready(address):
                    assert process.poll() is None, log.read_text()
                yield address
            finally:
                process.send_signal(signal.SIGINT)


def ready(address: str) -> bool:
    try:
        return httpx.get(f"{address}/ready", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


@dataclass
class Shed:
    """A page of the company with a strict policy; the widget comes from `home`."""

    home: str = ""

    def app(self) -> Starlette:
        async def page(_request: Request) -> HTMLResponse:
            policy = (
                f"default-src 'none'; script-src {self.home}; connect-src {self.home}; "
                "require-trusted-types-for 'script'; trusted-types 'none'"
            )
            source = f"{self.home}{PREFIX}/widget/v1/widget.js"
            tag = f'<script async src="{source}" data-widget="default" data-lang="en"></script>'
            html = f"<!doctype html><html lang=en><title>The shed</title>{tag}</html>"
            return HTMLResponse(html, headers={"Content-Security-Policy": policy})

        return Starlette(routes=[Route("/", page)])


def test_an_assistant_of_ones_own_goes_live(tmp_path: Path, browser: Browser) -> None:
    init, into, sync, doctor, user, serve, backup, restore, ask = documented()
    terminal, shed = Terminal(tmp_path), Shed()
    answers = tmp_path / "answers.toml"
    answers.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in ANSWERS.items()))

    terminal.run(init, "--answers", str(answers))
    terminal.go_to(into)
    terminal.run(sync)
    well = terminal.run(doctor)
    assert "the assistant speaks for Larchfield Tool Library" in well
    assert "sample" not in well
    password = terminal.run(user).split()[0]

    with served(shed.app()) as origin:
        settings = terminal.folder / "config.toml"
        own = f'[server]\ncors_origins = ["{origin}"]\nroot_path = "{PREFIX}"\n'
        settings.write_text(settings.read_text().replace("[server]\n", own, 1))
        with terminal.running(serve) as server, served(proxy(server)) as shed.home:
            answer = widget_answers(browser, origin)
            desk_is_there(browser, shed.home + PREFIX, user[-3], password)
            assert left_of_the_sample(terminal.folder, shed.home + PREFIX) == []
            terminal.run(backup)
    terminal.run(restore)
    assert (tmp_path / "tried").is_dir()
    told = terminal.run([*ask[:-1], QUESTION])

    assert SAID in answer
    assert SAID in " ".join(told.split())
    assert terminal.typed == ["init", "cd", "sync", "doctor", "desk", "serve", "backup", "restore", "ask"]


def widget_answers(browser: Browser, origin: str) -> str:
    with own_page(browser) as page:
        refused: list[str] = []
        page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
        page.goto(origin)
        visitor = Visitor(page)
        visitor.launcher.click()
        visitor.say(QUESTION)
        expect(visitor.replies("answered")).to_be_visible()
        assert [text for text in refused if "favicon" not in text] == []
        return visitor.replies("answered").locator(".body").inner_text()


def desk_is_there(browser: Browser, base: str, email: str, password: str) -> None:
    with own_page(browser) as page:
        agent = Agent(page, base)
        agent.sign_in(email, password)
        page.get_by_role("button", name="All").click()
        expect(agent.queue.first).to_contain_text(QUESTION)


def left_of_the_sample(folder: Path, base: str) -> list[str]:
    """Files of the company, and pages that the server gives, which name the sample's company."""
    files = [str(path) for path in folder.rglob("*") if path.is_file() and SAMPLE.search(path.read_bytes())]
    pages = (
        "/",
        "/config?widget=default",
        "/desk/",
        "/docs",
        "/openapi.json",
        "/widget/v1/chat.js",
        "/demo/",
        "/health",
    )
    return files + [page for page in pages if SAMPLE.search(httpx.get(base + page, follow_redirects=True).content)]
