"""What an article says of itself beside its text, and what a query may ask of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

Filters = Mapping[str, str | Sequence[str]]
"""By key: one value, or several of which an article needs any. All keys have to hold."""


class Tier(StrEnum):
    """How far an article is to be believed; one that says nothing is approved."""

    CANONICAL = "canonical"
    """The one to go by where articles differ."""
    APPROVED = "approved"
    RAW = "raw"
    """Written by people and looked over by nobody, such as a ticket."""
    MACHINE = "machine"
    """Written by a program, such as a transcript or a summary."""
