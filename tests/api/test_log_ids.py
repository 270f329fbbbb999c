"""Each line of a server's log says which request and turn it belongs to, in text and as JSON."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SERVER = """
import asyncio, logging, socket, sys
from uuid import uuid4
import uvicorn
from api.app import create_app
from handrail.observe.silent import SilentTracer
from tests.api.scripted import ScriptedAssistant
from tests.stages import Retrieves, EVIDENCE, engine, stages

both = asyncio.Barrier(2)
log = logging.getLogger("handrail.retrieve")

class Logging(Retrieves):
    async def retrieve(self, query, filters, probe=None, wordings=None):
        await both.wait()
        log.info("in the loop: %s", query)
        await asyncio.to_thread(log.info, "in a thread: %s", query)
        await both.wait()
        return await super().retrieve(query, filters, probe, wordings)

class Asking(ScriptedAssistant):
    async def ask(self, question, watch=None):
        if "break" in question.text:
            raise RuntimeError("broken\\x1b[31m\\nFORGED")
        return await engine(stages(retriever=Logging(EVIDENCE), tracer=SilentTracer(lambda: uuid4().hex))).run(question)

config = uvicorn.Config(lambda: create_app(None, Asking()), factory=True, log_level="info", access_log=True)
uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""


@contextmanager
def server(folder: Path, log_format: str) -> Iterator[tuple[str, Path]]:
    """Its address, and where it logs: complete once it has ended."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "HANDRAIL__STORAGE__DATA_DIR": str(folder / "data"),
        "HANDRAIL__LIMITS__ENABLED": "false",
        "HANDRAIL__OBSERVE__LOG_FORMAT": log_format,
    }
    log = folder / "log"
    with socket.create_server(("127.0.0.1", 0)) as listener, log.open("wb") as out:
        command = [sys.executable, "-c", SERVER, str(listener.fileno())]
        running = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[listener.fileno()], stderr=out)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", log
        finally:
            running.terminate()
            running.wait(30)


def ask(url: str, question: str, request_id: str) -> dict[str, Any]:
    body = json.dumps({"question": question}).encode()
    headers = {"Content-Type": "application/json", "X-Request-ID": request_id}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/ask", body, headers), timeout=120) as reply:  # noqa: S310
        answered: dict[str, Any] = json.load(reply)
        return answered


def refused(url: str, **given: Any) -> int:
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(urllib.request.Request(url, **given), timeout=120)  # noqa: S310
    with error.value as reply:
        return reply.code


def test_turns_that_run_side_by_side_keep_their_ids_apart_also_in_threads(tmp_path: Path) -> None:
    with server(tmp_path, "json") as (url, log), ThreadPoolExecutor() as two:
        asked = {"first-request": "How do I pay?", "second-request": "How do I cancel?"}
        answers = dict(zip(asked, two.map(lambda id_: ask(url, asked[id_], id_), asked), strict=True))
        broken = {"question": "Please break"}
        headers = {"Content-Type": "application/json", "X-Request-ID": "broken-request"}
        assert refused(f"{url}/ask", data=json.dumps(broken).encode(), headers=headers) == 500
        assert refused(f"{url}/a%0d%0aFORGED%1b%5b31m%e2%80%a8FORGED") == 404
    text = log.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.split("\n") if line]

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)
    for id_, answer in answers.items():
        own = [line for line in lines if line.get("request_id") == id_]
        inside = [line for line in own if line["logger"] == "handrail.retrieve"]
        assert sorted(line["message"] for line in inside) == [
            f"in a thread: {asked[id_]}",
            f"in the loop: {asked[id_]}",
        ]
        assert {(line["trace_id"], line["turn_id"]) for line in inside} == {(answer["trace_id"], answer["turn_id"])}
        assert {line["logger"] for line in own} >= {"handrail.access", "uvicorn.access"}
        [access] = [line for line in own if line["logger"] == "handrail.access"]
        assert (access["method"], access["path"], access["status"]) == ("POST", "/ask", 200)
        assert "turn_id" not in access
        assert datetime.fromisoformat(access["time"]).utcoffset() == timedelta(0)
        assert access["level"] == "info"
    [failed] = [line for line in lines if "exception" in line and line["logger"] == "handrail.failure"]
    assert failed["request_id"] == "broken-request"
    assert failed["exception"].startswith("Traceback (most recent call last):\n")
    assert "\\x1b[31m" in failed["exception"]
    [forged] = [line for line in lines if line["logger"] == "handrail.access" and line["status"] == 404]
    assert forged["path"] == r"/a\r\nFORGED\x1b[31m\u2028FORGED"


def test_lines_of_text_end_with_the_ids_and_nobody_forges_one(tmp_path: Path) -> None:
    with server(tmp_path, "text") as (url, log), ThreadPoolExecutor() as two:
        list(two.map(lambda id_: ask(url, "How do I pay?", id_), ["first-request", "second-request"]))
        assert refused(f"{url}/a%0d%0aFORGED%1b%5b31m", headers={"X-Request-ID": "forged-request"}) == 404
    lines = log.read_text(encoding="utf-8").splitlines()

    inside = [line for line in lines if "in a thread" in line]
    pattern = r".* INFO handrail\.retrieve: .* \[request_id=(first|second)-request trace_id=\w{32} turn_id=[\w-]{36}\]"
    assert sorted(re.fullmatch(pattern, line)[1] for line in inside) == ["first", "second"]  # type: ignore[index]
    [forged] = [line for line in lines if "FORGED" in line and "handrail.access" in line]
    assert re.search(r"GET /a\\r\\nFORGED\\x1b\[31m 404 \d+ ms \[request_id=forged-request\]$", forged)
    assert not [line for line in lines if line.startswith("FORGED")]
