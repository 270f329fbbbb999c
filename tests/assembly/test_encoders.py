"""An ingest with several encoder processes: the same vectors, and a clean end however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from handrail.assembly.encoders import encoders
from handrail.assembly.index import versions_of
from handrail.assembly.models import build_embedder
from handrail.cli.ingest import run
from handrail.errors import RetryableError
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from tests.sample import sample_settings

pytestmark = [pytest.mark.models, pytest.mark.slow]
SMALL = {"MODELS__LATE": "none", "MODELS__FOREIGN": "none"}
PATIENCE_S = 240


def texts(count: int) -> list[str]:
    return [f"Open room {n} and turn lamp {n} on. " * (1 + n % 5) for n in range(count)]


def encoders_of(pid: int) -> list[psutil.Process]:
    return [one for one in psutil.Process(pid).children() if "spawn_main" in " ".join(one.cmdline())]


def pages(folder: Path, count: int) -> Path:
    folder.mkdir()
    for n, text in enumerate(texts(count)):
        (folder / f"room-{n}.md").write_text(f"# Room {n}\n\n{text}\n")
    return folder


def test_vectors_are_those_of_one_process_in_the_order_of_the_texts() -> None:
    models = Settings().models
    given = texts(37)

    with encoders(models, 2) as embed:
        there = embed(given)

    np.testing.assert_array_equal(there, build_embedder(Settings()).embed_passages(given))


def test_a_killed_encoder_ends_the_run_with_a_line_and_changes_nothing(tmp_path: Path) -> None:
    settings = sample_settings(tmp_path / "data", **SMALL)
    versions = versions_of(settings)
    folder = pages(tmp_path / "pages", 600)

    def kill() -> None:
        while not (versions.found() and multiprocessing.active_children()):  # passages are being encoded
            time.sleep(0.05)
        os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    with pytest.raises(RetryableError, match=r"encoder process has ended.*stays as it was"):
        run(settings, [Folder(folder, "", 100_000)], workers=2)

    killer.join(10)
    assert versions.current() is None
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("listening_to_ctrl_c")
def test_ctrl_c_ends_all_of_them_with_one_line(tmp_path: Path) -> None:
    folder = pages(tmp_path / "pages", 600)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environ |= {f"HANDRAIL__{name}": value for name, value in SMALL.items()}
    environ |= {"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data"), "HANDRAIL__KNOWLEDGE__KB": "rooms"}
    command = [sys.executable, "-m", "handrail", "ingest", str(folder), "--workers", "2"]
    with subprocess.Popen(
        command, env=environ, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        deadline = time.monotonic() + PATIENCE_S
        while len(others := encoders_of(process.pid)) < 2:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert "Traceback" not in told and told.rstrip().endswith("stopped")
    assert not any(one.is_running() for one in others)
    assert not (tmp_path / "data" / "kb" / "rooms" / "current.json").exists()


def test_encoders_do_not_outlive_a_process_that_is_killed(tmp_path: Path) -> None:
    script = """
import time
from handrail.assembly.encoders import encoders
from handrail.settings import Settings
if __name__ == "__main__":
    with encoders(Settings().models, 1):
        print("ready", flush=True)
        time.sleep(600)
"""
    (tmp_path / "script.py").write_text(script)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(tmp_path / "script.py")]
    with subprocess.Popen(command, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        others = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()

    _, alive = psutil.wait_procs(others, timeout=20)
    assert others and not alive
