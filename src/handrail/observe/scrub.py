"""What leaves for an outside service: secrets and contact details taken out, large texts cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from enum import Enum
from typing import Any

from handrail.text.contacts import without_personal

LONGEST_TEXT = 20_000


def scrub_text(text: str) -> str:
    """`text` without what `redact` takes out before storage, and without e-mail addresses and phone numbers.

    Records keep those two, because an agent has to reach the visitor; nobody reading a trace does.
    """
    left = without_personal(text)
    return left if len(left) <= LONGEST_TEXT else f"{left[:LONGEST_TEXT]}… [{len(left) - LONGEST_TEXT} more characters]"


def scrub(value: Any) -> Any:
    """The same for every text inside `value`, which becomes plain JSON data."""
    if isinstance(value, Enum):
        return scrub(value.value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {scrub_text(str(key)): scrub(item) for key, item in value.items()}
    if isinstance(value, Sequence | Set) and not isinstance(value, str | bytes):
        return [scrub(item) for item in value]
    return scrub_text(str(value))
