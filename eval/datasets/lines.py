"""JSON lines from anybody: every line is either an object or a reason why it is not."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from handrail.errors import PermanentError

MAX_LINE = 1_000_000
"""Bytes of one row. A question is never so long; a file that is no JSON lines often is."""
MAX_FILE = 1_000_000_000
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
JSON_BLANKS = b" \t\r\n\xef\xbb\xbf"


class DatasetError(PermanentError):
    """An evaluation file that cannot be used at all; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class BadRow:
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    """Counted from 1, blank lines included."""
    value: Mapping[str, Any]


def read_lines(path: Path) -> tuple[str, list[Line | BadRow]]:
    """sha256 of the file, and what each line that is not blank holds.

    UTF-8 with or without a mark at its start, UTF-16 with one (as PowerShell writes it), any line ends. Raises
    DatasetError when the file cannot be read.
    """
    try:
        if path.is_file() and path.stat().st_size > MAX_FILE:
            raise DatasetError(f"{path}: over {MAX_FILE:,} bytes; evaluate on a part of it")
        data = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror or error}; name a file of JSON lines with --file") from None
    digest = hashlib.sha256(data).hexdigest()
    if data.startswith(UTF16):
        data = data.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
    return digest, list(_lines(data))


def _lines(data: bytes) -> Iterator[Line | BadRow]:
    for number, raw in enumerate(BytesIO(data.replace(b"\r\n", b"\n")), 1):
        line = raw.strip(JSON_BLANKS) if number == 1 else raw.strip()
        if line:
            yield _line(number, line)


def _line(number: int, line: bytes) -> Line | BadRow:
    if len(line) > MAX_LINE:
        return BadRow(number, f"{len(line):,} bytes long, and a row has at most {MAX_LINE:,}; is it JSON lines?")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return BadRow(number, f"not UTF-8 text (byte {error.start} of the line); save the file as UTF-8")
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        hint = "; one object per line is needed" if line[:1] in (b"[", b"{") else ""
        return BadRow(number, f"not JSON: {error}{hint}")
    if not isinstance(value, dict):
        hint = "; one object per line is needed, not one array" if isinstance(value, list) else ""
        return BadRow(number, f"not a JSON object but {type(value).__name__}{hint}")
    if "\\u" in text and not _encodable(value):
        return BadRow(number, "holds half a surrogate pair, which no UTF-8 text can; save it as valid UTF-8")
    return Line(number, value)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON value")


def _encodable(value: Mapping[str, Any]) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
