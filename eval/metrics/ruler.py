"""How much better an answer is than a short quote of what was found first: the ruler beside the figures of answers.

The ruler of a row is the beginning of its top passage. It has no reader, no gate and no model, so a figure that it
reaches as well says nothing for the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eval.metrics.bootstrap import Interval, mean_interval
from eval.metrics.grounding import stated
from eval.metrics.text import bleu, holds, rouge1, statements, token_f1

WORDS = 120
NAMES = ("statements", "keys", "token_f1", "rouge1", "bleu")
TOKEN = re.compile(r"\S+")

Figures = Mapping[str, float]
"""Of one text, by name; what does not apply to its row is absent."""
Pair = tuple[Figures, Figures]
"""Of an answer, and of the ruler of the same row."""


def beginning(text: str, most: int = WORDS) -> str:
    """The first words of a text, its lines as they are."""
    ends = [token.end() for token in TOKEN.finditer(text)][:most]
    return text[: ends[-1]] if ends else ""


def figures(text: str, reference: str | None, keys: Sequence[str]) -> dict[str, float]:
    """`statements`: share of those of the reference that the text gives; `keys`: share of them that it holds."""
    found: dict[str, float] = {}
    if reference:
        wanted = statements(reference)
        if wanted:
            found["statements"] = sum(stated(one, text) for one in wanted) / len(wanted)
        found |= {
            "token_f1": token_f1(text, reference),
            "rouge1": rouge1(text, reference),
            "bleu": bleu(text, reference),
        }
    if keys:
        found["keys"] = sum(holds(text, key) for key in keys) / len(keys)
    return found


def score(pairs: Sequence[Pair]) -> dict[str, Any]:
    """`ruler` has its own means, `over_ruler` the mean paired differences with `n` and 95 % intervals."""
    columns = {name: _column(pairs, name) for name in NAMES}
    known = {name: column for name, column in columns.items() if len(column)}
    bounds = intervals(pairs)
    return {
        "ruler": {name: float(column[:, 1].mean()) for name, column in known.items()},
        "over_ruler": {
            "n": {name: len(column) for name, column in known.items()},
            **{name: float((column[:, 0] - column[:, 1]).mean()) for name, column in known.items()},
            "ci": {name: list(found) for name in known if (found := bounds[f"over_ruler.{name}"]) is not None},
        },
    }


def intervals(pairs: Sequence[Pair]) -> dict[str, Interval | None]:
    """Of the means and of the paired differences; rows are drawn."""
    found: dict[str, Interval | None] = {}
    for name in NAMES:
        column = _column(pairs, name)
        found[f"ruler.{name}"] = mean_interval(column[:, 1])
        found[f"over_ruler.{name}"] = mean_interval(column[:, 0] - column[:, 1])
    return found


def _column(pairs: Sequence[Pair], name: str) -> np.ndarray[Any, Any]:
    """`(rows, 2)`: what the answer and the ruler reach, where both have the figure."""
    found = [(answer[name], ruler[name]) for answer, ruler in pairs if name in answer and name in ruler]
    return np.asarray(found, dtype=float).reshape(-1, 2)
