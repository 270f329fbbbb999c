"""What is proven of a customer: signed by the operator's site, or fetched from the operator's endpoint.

Values decide which of the operator's own texts may be shown. They are never put into a prompt and never shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Protocol

from handrail.types import Question

Context = Mapping[str, str | float]

KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
MOST_KEYS = 20
LONGEST_VALUE = 100
LARGEST_NUMBER = 1e12
UNSAFE = re.compile(r"[<>{}\[\]`|\\]")


class Customers(Protocol):
    """A source of what is known."""

    async def known(self, question: Question) -> Context:
        """Everything proven of the writer of `question`, its signed context included. Raises HandrailError."""
        ...


def cleaned(values: object) -> dict[str, str | float]:
    """What may be gone by: a few short plain values; everything else is dropped, never repaired into something else."""
    if not isinstance(values, Mapping):
        return {}
    kept: dict[str, str | float] = {}
    for key, value in values.items():
        plain = _plain(value)
        if plain is not None and isinstance(key, str) and KEY.fullmatch(key):
            kept[key] = plain
        if len(kept) == MOST_KEYS:
            break
    return kept


def _plain(value: object) -> str | float | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value if abs(value) <= LARGEST_NUMBER else None  # neither infinite nor NaN
    if not isinstance(value, str):
        return None
    text = " ".join(unicodedata.normalize("NFKC", value[: 4 * LONGEST_VALUE]).split())
    hidden = any(unicodedata.category(letter).startswith("C") for letter in text)
    return None if not text or hidden or len(text) > LONGEST_VALUE or UNSAFE.search(text) else text
