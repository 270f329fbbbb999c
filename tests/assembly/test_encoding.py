"""Who encodes the passages of an ingest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handrail.assembly.encoding import encoding
from handrail.cli.app import app
from handrail.errors import MissingExtra
from handrail.settings import Settings


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(MissingExtra, match=r"--workers ray .*\[ray\]"), encoding(Settings(), None, "ray"):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize("given", ["0", "65", "two", "-1", "²"])
def test_workers_are_a_number_or_ray(given: str, tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["ingest", str(tmp_path), "--workers", given])

    assert refused.exit_code == 2
    assert "give a number of processes" in refused.output
