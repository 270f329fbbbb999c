"""What somebody outside sends never becomes a line of the log of its own."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handrail.observe.log_records import install, visible

ROOT = Path(__file__).parents[2]
SERVER = """
import logging, socket, sys
from pathlib import Path
import uvicorn
from api.app import create_app
from tests.api.scripted import ScriptedAssistant, settings_in

class Failing(ScriptedAssistant):
    async def ask(self, question, watch=None):
        logging.getLogger("handrail.turns").warning("asked: %s", question.text)
        raise RuntimeError(question.text)

logging.basicConfig(level=logging.INFO, format="RECORD %(name)s %(message)s")
assistant = Failing()
config = uvicorn.Config(create_app(settings_in(Path(sys.argv[1])), assistant), log_level="debug", access_log=True)
config.configure_logging()
for name in ("uvicorn", "uvicorn.access", "uvicorn.error"):
    for handler in logging.getLogger(name).handlers:
        handler.setFormatter(logging.Formatter("RECORD %(name)s %(message)s"))
uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[2]))])
"""
SENT = [
    b"GET /a%0d%0aFORGED%20path%1b%5b31m%e2%80%a8FORGED HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    b"GET /health?q=%0d%0aFORGED%1b%5b31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: x\r\nX-Request-ID: FORGED\x1b[31m\x85id\r\nConnection: close\r\n\r\n",
    b"GET /b%0aFORGED HTTP/1.1\r\nHost: x\r\nX-Request-ID: a\r\n FORGED: folded\r\nConnection: close\r\n\r\n",
    b"FORGED\x1b[31m\r\n\r\n",
    b"GET /desk/api/oidc/callback?error=%0aFORGED HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
]
BODY = b'{"question": "Hello \\u2028FORGED \\u0085FORGED \\u202e and \\ud83d\\ude00 \\nFORGED"}'
ASKED = (
    b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    + b"Content-Length: %d\r\n\r\n" % len(BODY)
    + BODY
)


def test_a_server_that_is_sent_control_characters_logs_none(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    log = tmp_path / "log"
    with socket.create_server(("127.0.0.1", 0)) as listener, log.open("wb") as out:
        port, number = listener.getsockname()[1], listener.fileno()
        command = [sys.executable, "-c", SERVER, str(tmp_path / "data"), str(number)]
        running = subprocess.Popen(
            command, cwd=ROOT, env=environment, pass_fds=[number], stdout=out, stderr=subprocess.STDOUT
        )
        try:
            said = [answered(port, request) for request in (*SENT, ASKED)]
            until = time.monotonic() + 30
            while b"asked:" not in log.read_bytes() and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(0.3)
        finally:
            running.terminate()
            running.wait(30)
    written = log.read_bytes().decode()

    assert said[1].startswith(b"HTTP/1.1 200")
    assert "FORGED" in written
    assert "\\r\\nFORGED path\\x1b[31m\\u2028FORGED" in written
    assert re.findall(r"[^\n -\U0010ffff]|[\x7f-\x9f\u2028\u2029\u202a-\u202e]", written) == []
    alone = [line for line in written.split("\n") if "FORGED" in line and not line.startswith(("RECORD ", "  | "))]
    assert alone == []


def answered(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(request)
        return connection.recv(4096)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("How do I pay?", "How do I pay?"),
        ("Zażółć 中文 😀", "Zażółć 中文 😀"),
        ("a\r\nb\x1b[0m", r"a\r\nb\x1b[0m"),
        ("a\x85b\u2028c\u2029d", r"a\x85b\u2028c\u2029d"),
        ("\u202egnp.exe \x00\x7f\ud800", r"\u202egnp.exe \x00\x7f\ud800"),
    ],
)
def test_what_is_not_printed_becomes_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_records_of_any_logger_keep_to_their_line(caplog: pytest.LogCaptureFixture) -> None:
    install()
    install()
    log = logging.getLogger("somebody.elses")
    with caplog.at_level(logging.INFO):
        log.info("said %s, %d times, %.1f s, %r", "a\nb", 3, 0.5, "c\nd")
        log.info("said %(what)s", {"what": "a\rb"})
        log.info("f-string a\nb")
        log.info("error: %s", ValueError("a\nb"))
        try:
            raise ValueError("a\nFORGED \x1b[31m")
        except ValueError:
            log.exception("failed")
    messages = [record.getMessage() for record in caplog.records]
    failed = logging.Formatter("RECORD %(message)s").format(caplog.records[-1])

    assert messages[:3] == ["said a\\nb, 3 times, 0.5 s, 'c\\\\nd'", "said a\\rb", "f-string a\\nb"]
    assert messages[3] == "error: a\\nb"
    assert "\x1b" not in failed
    assert all(line.startswith(("RECORD ", "  | ")) for line in failed.split("\n"))
