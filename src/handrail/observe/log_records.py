"""Nobody outside writes lines of the log, or moves the terminal of whoever reads it.

What visitors send may stand in a path, a header, a message or an error. Characters that are not printed (CR, LF, ESC,
line separators, marks that turn the direction of writing) become visible escapes as soon as a record is made, so that
it does not matter which logger, library or handler it passes through. Each record gets the ids of its request and turn.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from handrail.observe.log_context import NAMES, log_ids

BESIDE = "  | "
"""Stands before each line of a traceback, which has several by rights."""

_plain = logging.Formatter()


def visible(text: str) -> str:
    """On one line, with every character that is not printed written as its escape."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def install() -> None:
    """For all records of this process from now on; calling it again changes nothing."""
    make = logging.getLogRecordFactory()
    if getattr(make, "keeps_to_one_line", False):
        return

    def made(*values: Any, **named: Any) -> logging.LogRecord:
        return _tamed(make(*values, **named))

    made.keeps_to_one_line = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(made)


def traceback(record: logging.LogRecord) -> str:
    """That of a record made since `install`, as plain lines."""
    return "\n".join(line.removeprefix(BESIDE) for line in (record.exc_text or "").split("\n"))


def _tamed(record: logging.LogRecord) -> logging.LogRecord:
    ids = log_ids()
    for name in NAMES:
        setattr(record, name, ids.get(name, ""))
    if not isinstance(record.msg, str) or not record.msg.isprintable():
        record.msg = visible(str(record.msg))
    if isinstance(record.args, Mapping):
        record.args = {name: _visible(value) for name, value in record.args.items()}
    elif record.args:
        record.args = tuple(map(_visible, record.args))
    if record.exc_info and record.exc_info[0] is not None:
        lines = _plain.formatException(record.exc_info).split("\n")
        record.exc_text = "\n".join(BESIDE + visible(line) for line in lines)  # what formatters then use
    return record


def _visible(value: object) -> object:
    """As it is where nothing has to be done: formats may ask for a number."""
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    return value if text.isprintable() else visible(text)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
