"""Whether answers get worse: a daily sample of them is graded from 1 to 5, and the grades are compared over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Sample = Literal["production", "golden"]
"""Answers to visitors, or to a fixed set of questions."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One grade."""

    sample: str
    day: str
    """On which the question was answered, such as 2026-11-28."""
    by: str
    """`judge` or `person`."""
    who: str
    """The judge's model; all people count as one."""
    grade: int
