"""What the rows of a run ask, for showing to people: others wrote it, so it is shown as harmless text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.record import rows_path

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
"""Escape sequences of terminals, line breaks, and characters that turn the direction of what follows."""


def texts(folder: Path, run_id: str) -> dict[int, str]:
    """By line of the evaluation file; empty where the rows of the run are gone or unreadable."""
    found: dict[int, str] = {}
    try:
        lines = rows_path(folder, run_id).read_bytes().split(b"\n")
    except OSError:
        return found
    for line in lines:
        try:
            row = json.loads(line)
            found[int(row["line"])] = harmless(asked(row["case"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def asked(case: Mapping[str, Any]) -> str:
    for name in ("text", "question", "last_needs", "claim"):
        if isinstance(case.get(name), str):
            return str(case[name])
    turns = case.get("turns")
    last = turns[-1] if isinstance(turns, list) and turns else ""
    return str(last.get("say") or last.get("text") or last) if isinstance(last, Mapping) else str(last)


def harmless(text: str, limit: int = 160) -> str:
    """In one line and without control characters, cut at `limit`."""
    plain = CONTROL.sub(" ", text).strip()
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
