"""Messages in other languages that what hears them is taught with."""

from __future__ import annotations

from training import ROWS
from training.classifier.rows import Row, read_rows

ABROAD = ROWS / "intents" / "abroad"
"""English rows of `training/intents` as native speakers would write them, in thirteen languages."""


def translated() -> list[Row]:
    """The rows of `ABROAD` as they stand."""
    return [row for path in sorted(ABROAD.glob("*.jsonl")) for row in read_rows(path)]
