"""Messages in other languages that what hears them is taught with."""

from __future__ import annotations

from pathlib import Path

from eval.classifier.rows import Row, read_rows

ABROAD = Path(__file__).parent.parent / "training" / "intents" / "abroad"
"""English rows of `training/intents` as native speakers would write them, in thirteen languages."""


def translated() -> list[Row]:
    """The rows of `ABROAD` as they stand."""
    return [row for path in sorted(ABROAD.glob("*.jsonl")) for row in read_rows(path)]
