"""Evaluation files for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def write_lines(path: Path, rows: Sequence[dict[str, Any] | str]) -> Path:
    """One row per line; text is written as it is, so that it may be broken."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
