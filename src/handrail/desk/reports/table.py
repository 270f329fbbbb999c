"""CSV that opens in any spreadsheet and that no cell can attack it with.

A text that begins like a formula is kept from being one by a leading apostrophe, as OWASP's page on CSV injection
advises; the apostrophe is seen in the cell. Every cell is quoted, so that separators and line breaks in visitors' words
cannot start another cell. Numbers that we computed are left alone: a spreadsheet can add them up.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

from handrail.desk.reports import Cell, Row

BOM = "\ufeff"
"""Without it Excel reads UTF-8 as the machine's own encoding."""
FORMULA = frozenset("=+-@|%\t\r\n\0")
"""First characters that some spreadsheet takes for a formula, a command or a cell break."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
MOST_CHARS = 32_000
"""A cell of Excel holds 32,767 characters."""


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """A header and one line per row, with CR LF line ends and a byte order mark."""
    out = io.StringIO(newline="")
    out.write(BOM)
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow([cell(column) for column in columns])
    writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def cell(value: Cell) -> str:
    """One value as text that stays text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return repr(value)
    return _harmless(value)


def _harmless(text: str) -> str:
    text = CONTROL.sub("", text)[:MOST_CHARS]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if _starts_formula(text) else text


def _starts_formula(text: str) -> bool:
    """Also behind blanks or invisible characters, which some programs strip, and in full-width forms."""
    if text[:1] in FORMULA:
        return True
    for character in text:
        if character.isspace() or unicodedata.category(character) in ("Cf", "Cc", "Zs"):
            continue
        return unicodedata.normalize("NFKC", character)[:1] in FORMULA or character in "\u2212\ufe62\ufe63"
    return False
