"""Runs that write an index are killed at several points: what is half written is never called whole, nor served."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from handrail.errors import IndexIncomplete
from tests.knowledge.articles import Given, HashedWords, Index, article

WAITS_S = 300.0
"""A bound for a busy machine; nothing is measured by it."""


class Killed(Exception):
    """Stands for a process that dies while it embeds."""


class Dies(HashedWords):
    def __call__(self, texts: Sequence[str]) -> object:  # type: ignore[override]
        raise Killed


def test_an_index_is_incomplete_from_before_the_first_change_until_after_the_last(tmp_path: Path) -> None:
    index = Index(tmp_path)
    assert "half built" in index.store.incomplete
    index.run(Given(article("One.", "a"), article("Two.", "b")))
    assert index.store.incomplete == ""

    with pytest.raises(Killed):
        index.run(Given(article("Three.", "a"), article("Two.", "b")), embed=Dies())
    again = Index(tmp_path)
    assert "half rewritten" in again.store.incomplete
    with pytest.raises(IndexIncomplete, match="handrail ingest"):
        again.store.check()

    again.run(Given(article("One.", "a"), article("Two.", "b")))
    assert again.store.incomplete == ""


def test_a_run_that_only_has_to_finish_another_one_clears_the_mark(tmp_path: Path) -> None:
    index = Index(tmp_path)
    index.run(Given(article("One.", "a")))
    index.store.begin()

    assert index.run(Given(article("One.", "a"))).unchanged == 1
    assert Index(tmp_path).store.incomplete == ""


def test_another_knowledge_base_on_the_same_server_is_not_affected(tmp_path: Path) -> None:
    from handrail.stores.chroma import ChromaStore

    index = Index(tmp_path)
    index.run(Given(article("One.", "a")))
    other = ChromaStore(index.store._client, "other", "hashed-words")
    other.create()
    other.begin()

    index.store.open()
    assert index.store.incomplete == ""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with articles enough for several batches."""
    monkeypatch.setenv("HANDRAIL__MODELS__EMBED_MAX_TOKENS", "32")
    monkeypatch.setenv("HANDRAIL__MODELS__FOREIGN", "none")
    monkeypatch.setenv("HANDRAIL__RETRIEVAL__LATE_WEIGHT", "0")
    monkeypatch.setenv("HANDRAIL__SERVER__DEMO_MODE", "false")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.chdir(tmp_path)
    articles(tmp_path, "says something about plans and prices")
    return tmp_path


def articles(place: Path, what: str) -> None:
    (place / "articles").mkdir(exist_ok=True)
    for number in range(300):
        (place / "articles" / f"a{number}.md").write_text(f"Article {number} {what}.")


def handrail(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "handrail", *arguments]


def rows(place: Path, kb: str, query: str) -> int:
    """What it counts in the newest version."""
    found = sorted((place / "var" / "kb" / kb / "versions").glob("*/chroma/chroma.sqlite3"))
    database = found[-1] if found else place / "none"
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
            return int(opened.execute(query).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def until(true: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + WAITS_S
    while not true():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)


def ingest(*arguments: str) -> None:
    ended = subprocess.run(handrail("ingest", "articles", *arguments), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def killed_ingest(reached: Callable[[], bool], kb: str = "acme") -> None:
    with subprocess.Popen(handrail("ingest", "articles", "--kb", kb), stderr=subprocess.DEVNULL) as process:
        until(reached, process)
        process.send_signal(signal.SIGKILL)


@contextmanager
def serving(kb: str = "acme") -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen(handrail("serve", "--kb", kb, "--port", str(port)), stderr=subprocess.PIPE) as process:
        try:
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()


def checks(url: str, process: subprocess.Popen[bytes], settled: Callable[[str], bool]) -> tuple[int, str]:
    """Status of `/ready` and what it says of the index, once that is settled."""
    found = (0, "loading")

    def look() -> bool:
        nonlocal found
        try:
            answer = httpx.get(f"{url}/ready", timeout=WAITS_S)
        except httpx.TransportError:
            return False
        found = answer.status_code, answer.json()["checks"]["index"]
        return settled(found[1])

    until(look, process)
    return found


@pytest.mark.models
@pytest.mark.slow
class TestProcesses:
    @pytest.mark.parametrize("batches", [0, 2])
    def test_a_first_ingest_that_was_killed_is_not_served(self, place: Path, batches: int) -> None:
        begun = "select count(*) from collection_metadata" if not batches else "select count(*) from embeddings"
        killed_ingest(lambda: rows(place, "acme", begun) > 128 * (batches - 1) * (batches > 0))

        with serving() as (url, process):
            status, index = checks(url, process, lambda said: said != "loading")
            asked = httpx.post(f"{url}/ask", json={"question": "What does article 7 say?"}, timeout=WAITS_S)
            person = httpx.post(f"{url}/handoff", json={}, timeout=WAITS_S)

            assert (status, "half built" in index, "handrail ingest" in index) == (503, True, True)
            assert (asked.status_code, asked.json()["routing"]) == (200, "unavailable")
            assert asked.json()["citations"] == []
            assert person.status_code == 201

            ingest("--kb", "acme")
            assert checks(url, process, lambda said: said == "ok") == (200, "ok")

    def test_when_a_later_ingest_was_killed_the_old_articles_are_served(self, place: Path) -> None:
        ingest("--kb", "acme")
        articles(place, "says another thing about refunds")
        marked = "select count(*) from collection_metadata where key = 'writing' and str_value != ''"
        killed_ingest(lambda: rows(place, "acme", marked) > 0)

        with serving() as (url, process):
            found = checks(url, process, lambda said: said != "loading")
            asked = httpx.post(f"{url}/ask", json={"question": "What does article 7 say?"}, timeout=WAITS_S)

        assert found == (200, "ok")
        assert "plans and prices" in asked.text and "refunds" not in asked.text

    def test_without_a_knowledge_base_the_server_ends_with_one_line(self, place: Path) -> None:
        with serving("nowhere") as (_, process):
            _, said = process.communicate(timeout=WAITS_S)

        lines = [line for line in said.decode().splitlines() if "error" in line.lower()]
        assert process.returncode == 1
        assert "run `handrail ingest PATH --kb nowhere`" in lines[-1]
        assert "Traceback" not in said.decode()

    def test_one_knowledge_base_is_served_while_another_is_ingested(self, place: Path) -> None:
        ingest("--kb", "acme")
        with subprocess.Popen(handrail("ingest", "articles", "--kb", "other"), stderr=subprocess.DEVNULL) as writer:
            until(lambda: rows(place, "other", "select count(*) from collection_metadata") > 0, writer)
            writer.send_signal(signal.SIGSTOP)  # it holds what it holds for as long as the server takes to start
            with serving() as (url, process):
                found = checks(url, process, lambda said: said != "loading")
            writer.kill()

        assert found == (200, "ok")
