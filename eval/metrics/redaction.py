"""What was taken out of a text, and whether it should have been."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.metrics import share
from eval.metrics.bootstrap import Interval, mean_interval

NOTE = re.compile(r"\[[A-Za-z -]+ removed\]")


@dataclass(frozen=True, slots=True)
class Redacted:
    lang: str
    personal: Sequence[tuple[str, str]]
    """Kind and words of what had to go."""
    left: str
    """What the text became."""
    removed: Sequence[str]
    """What went."""

    @property
    def gone(self) -> list[tuple[str, bool]]:
        """Of each that had to go: its kind, and whether it did."""
        return [(kind, words not in self.left and self._in_one(words)) for kind, words in self.personal]

    @property
    def rightly(self) -> list[bool]:
        """Of each that went: whether it is, or holds, something personal."""
        return [any(_same(words, one) for _, words in self.personal) for one in self.removed]

    def _in_one(self, words: str) -> bool:
        return any(words in one for one in self.removed)


def removed(text: str, left: str) -> list[str]:
    """What stood where `left` has notes. Raises ValueError where `left` was not made of `text` by taking out."""
    kept, at, gone = NOTE.split(left), 0, []
    for number, part in enumerate(kept):
        found = len(text) - len(part) if number and number == len(kept) - 1 else text.index(part, at)
        if number:
            gone.append(text[at:found])
        elif found:
            raise ValueError(f"its beginning is another: {left!r}")
        at = found + len(part)
    return gone


def score(rows: Sequence[Redacted]) -> dict[str, Any]:
    """`changed`: of sentences with nothing personal, the share in which something was taken out."""
    kinds = dict.fromkeys(kind for row in rows for kind, _ in row.personal)
    langs = dict.fromkeys(row.lang for row in rows)
    return {
        "n": len(rows),
        "recall": share(_gone(rows)),
        "precision": share(_rightly(rows)),
        "changed": share([bool(row.removed) for row in rows if not row.personal]),
        "recall_by_kind": {
            kind: share([gone for row in rows for own, gone in row.gone if own == kind]) for kind in kinds
        },
        "by_lang": {
            lang: {"recall": share(_gone(of)), "precision": share(_rightly(of))}
            for lang in langs
            for of in [[row for row in rows if row.lang == lang]]
        },
    }


def details(rows: Sequence[Redacted]) -> dict[str, Any]:
    return {
        "personal": len(_gone(rows)),
        "removed": len(_rightly(rows)),
        "nothing_personal": sum(not row.personal for row in rows),
    }


def intervals(rows: Sequence[Redacted]) -> dict[str, Interval | None]:
    return {
        "recall": mean_interval(np.asarray(_gone(rows), dtype=float)),
        "precision": mean_interval(np.asarray(_rightly(rows), dtype=float)),
    }


def _gone(rows: Sequence[Redacted]) -> list[bool]:
    return [gone for row in rows for _, gone in row.gone]


def _rightly(rows: Sequence[Redacted]) -> list[bool]:
    return [right for row in rows for right in row.rightly]


def _same(words: str, gone: str) -> bool:
    """Whether what went is the words alone, but for a label or brackets around them."""
    return words in gone or gone in words
