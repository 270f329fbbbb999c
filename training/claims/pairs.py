"""Pairs of claim and passage that were labelled by hand, from the files they stand in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from handrail.verify.measure import Pair, around, chosen_window

Row = dict[str, Any]
MANY = 500
"""Pairs of a voice from which it is split by passages instead of being left out whole."""


def labelled(files: Sequence[Path], written: Sequence[Path]) -> list[Row]:
    """`claim`, `passage`, `label`, `kind` and `voice` of JSON lines, and of files as in `eval/training/claims`."""
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return rows + [row for path in texts(written) for row in of_text(path)]


def texts(paths: Sequence[Path]) -> list[Path]:
    """The files, and those of the folders."""
    return [file for path in paths for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])]


def of_text(path: Path) -> Iterator[Row]:
    """A passage behind `#`, then claims, each with `+` or `-` and its kind in front."""
    passage = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            passage = line[2:]
        elif line:
            kind, claim = line[1:].split(" ", 1)
            label = "supported" if line[0] == "+" else "unsupported"
            yield {"claim": claim, "passage": passage, "label": label, "kind": kind, "voice": path.stem}


def groups(rows: Sequence[Row]) -> list[str]:
    """Of each row, what is left out together with it."""
    voices = [str(row.get("voice", "")) for row in rows]
    many = {voice for voice, count in Counter(voices).items() if count >= MANY}
    return [f"{voice} {row['passage']}" if voice in many else voice for voice, row in zip(voices, rows, strict=True)]


def key(claim: str, passage: str) -> str:
    return hashlib.sha256(f"{claim}\0{passage}".encode()).hexdigest()[:24]


def read_as(row: Row) -> tuple[str, str]:
    """Claim and region, as a verifier reads them."""
    pair = Pair(row["claim"], row["passage"])
    window = chosen_window(pair)
    return pair.claim, around(pair.passage, window) if window else pair.passage
