"""`handrail demo` in a process of its own: real models, the sample help centre, real records."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.sample import ROOT

pytestmark = [pytest.mark.models, pytest.mark.slow]

START_S = 120.0


def test_one_command_serves_the_sample_with_widget_desk_and_answers(sample_index: Path, tmp_path: Path) -> None:
    """What is indexed already is kept: of what the first start makes, the models and the index are given here."""
    shutil.copytree(sample_index, tmp_path / "var")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAIL_")}
    cache = {name: value for name, value in os.environ.items() if name == "HANDRAIL_CACHE"}
    environment = clean | cache | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "COLUMNS": "200"}
    command = [sys.executable, "-m", "handrail", "demo", "--port", "0"]
    log = tmp_path / "log"

    with log.open("w") as out, subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=out) as process:
        try:
            address = _ready(process, log)
            answer = httpx.post(f"{address}/ask", json={"question": "How do I add a favicon?"}, timeout=60).json()
            pages = [httpx.get(f"{address}/{page}", follow_redirects=True).status_code for page in ("", "desk", "docs")]
        finally:
            process.send_signal(signal.SIGINT)

    assert answer["routing"] == "answered"
    assert answer["citations"]
    assert pages == [200, 200, 200]
    assert "138 unchanged" in log.read_text()
    assert "demo agent" in log.read_text()


def _ready(process: subprocess.Popen[bytes], log: Path) -> str:
    ends = time.monotonic() + START_S
    while time.monotonic() < ends:
        assert process.poll() is None, log.read_text()
        found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
        try:
            if found and httpx.get(f"{found[0]}/ready", timeout=5).status_code == 200:
                return found[0]
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise AssertionError(log.read_text())
