"""Runs at the same time wait for each other's index instead of failing."""

from __future__ import annotations

from pathlib import Path
from threading import Timer

import pytest
from rich.console import Console

from eval.waiting import hold_index, when_free
from handrail.errors import IndexBusy
from handrail.settings import load_settings
from handrail.stores.lock import IndexLock


def test_a_reader_waits_until_the_writer_is_done_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("handrail.stores.lock.READER_WAITS_S", 0.05)
    settings = load_settings(environ={"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path)})
    writer = IndexLock(tmp_path / "kb" / settings.knowledge.kb, write=True)
    done = Timer(0.5, writer.release)
    done.start()

    with when_free(lambda: hold_index(settings), Console()), hold_index(settings):
        pass

    done.join()
    assert "waiting for up to 5 minutes: the index in" in capsys.readouterr().out


def test_it_does_not_wait_for_ever(tmp_path: Path) -> None:
    with IndexLock(tmp_path, write=False), pytest.raises(IndexBusy, match="in use by another"):
        when_free(lambda: IndexLock(tmp_path, write=True), Console(quiet=True), longest_s=0)
