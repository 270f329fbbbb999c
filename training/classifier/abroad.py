"""Messages in other languages as the classifier reads them: word by word in English (`handrail.gloss`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from handrail.gloss import gloss, languages
from training import ROWS
from training.classifier.rows import Row, read_rows

ABROAD = ROWS / "intents" / "abroad"
"""English rows of `training/intents` as native speakers would write them, in thirteen languages."""


def as_read(row: Row) -> Row:
    """Through the word list of its language; the row itself where there is none."""
    return replace(row, text=gloss(row.lang).read(row.text)) if row.lang in languages() else row


def glossed(rows: Iterable[Row]) -> Iterator[Row]:
    """Those in a language that has a word list, through it: English from there on, so that English is put around it."""
    return (replace(as_read(row), lang="en") for row in rows if row.lang in languages())


def translated() -> list[Row]:
    """The rows of `ABROAD` as they stand."""
    return [row for path in sorted(ABROAD.glob("*.jsonl")) for row in read_rows(path)]


def rows(written: Iterable[Row]) -> list[Row]:
    """Of the rows of `ABROAD` and those of `written` in other languages; what has no word list stays as it is."""
    abroad = translated()
    return [*glossed([*written, *abroad]), *(row for row in abroad if row.lang not in languages())]
