"""Who encodes the passages of an ingest."""

from __future__ import annotations

import sys

import pytest

from handrail.assembly.encoding import encoding
from handrail.errors import MissingExtra
from handrail.settings import Settings


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(MissingExtra, match=r"--workers ray .*\[ray\]"), encoding(Settings(), None, "ray"):  # type: ignore[arg-type]
        pass
