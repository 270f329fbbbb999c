"""An index on disk belongs to one writer or to readers, never both, across processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.errors import IndexBusy, SettingsError
from handrail.stores.lock import IndexLock

HOLD = """
import sys
from pathlib import Path
from handrail.stores.lock import IndexLock
with IndexLock(Path(sys.argv[1]), write=sys.argv[2] == "write"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(folder: Path, mode: str) -> Iterator[subprocess.Popen[str]]:
    """The lock in another process."""
    command = [sys.executable, "-c", HOLD, str(folder), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_readers_share_the_index(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path, "read"), IndexLock(tmp_path, write=False), IndexLock(tmp_path, write=False):
        pass


def test_a_writer_is_refused_while_somebody_reads_and_told_what_to_do(tmp_path: Path) -> None:
    with (
        held_elsewhere(tmp_path, "read"),
        pytest.raises(IndexBusy, match="in use by another Handrail process; try again"),
    ):
        IndexLock(tmp_path, write=True)


def test_a_reader_is_refused_while_somebody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handrail.stores.lock.READER_WAITS_S", 0.1)
    with held_elsewhere(tmp_path, "write"), pytest.raises(IndexBusy, match="try again when it is done"):
        IndexLock(tmp_path, write=False)


def test_a_process_that_dies_leaves_no_lock(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path, "write"):
        pass

    IndexLock(tmp_path, write=True).release()


def test_released_means_free_for_a_writer(tmp_path: Path) -> None:
    IndexLock(tmp_path, write=False).release()

    with IndexLock(tmp_path, write=True), pytest.raises(IndexBusy):
        IndexLock(tmp_path, write=True)


def test_a_data_folder_that_is_a_file_is_a_wrong_setting(tmp_path: Path) -> None:
    (tmp_path / "var").touch()

    with pytest.raises(SettingsError, match=r"storage\.data_dir = .*var"):
        IndexLock(tmp_path / "var", write=False)
