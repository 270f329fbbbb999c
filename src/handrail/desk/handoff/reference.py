"""References short enough to read out on the phone."""

from collections.abc import Callable
from secrets import choice

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""No 0 and O, 1, I and L, nor U, which is heard as V."""


def new_reference(pick: Callable[[str], str] = choice) -> str:
    """Such as `HR-7K2M9Q`: one of 729 million; the store makes sure it is used once."""
    return "HR-" + "".join(pick(ALPHABET) for _ in range(6))
