"""The size of an index is measured on the real parts, and nothing is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import scale


@pytest.mark.slow
def test_an_index_of_generated_passages_is_built_searched_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    ended = CliRunner().invoke(scale.app, ["--passages", "600"])

    figures = json.loads(ended.stdout)
    assert (ended.exit_code, figures["passages"], figures["index"]) == (0, 600, "chroma")
    assert figures["recall"] > 0.99
    assert 0 < figures["vector_p50_ms"] <= figures["vector_p95_ms"]
    assert 0 < figures["store_mb"] <= figures["build_mb"]
    assert list(tmp_path.iterdir()) == []
