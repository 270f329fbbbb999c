"""What leaves for an outside service: secrets and contact details taken out, large texts cut."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from enum import Enum
from typing import Any

from handrail.redact import redact

EMAIL = re.compile(r"[\w.+%'-]{1,64}(?:@|\s?\(at\)\s?|%40)[\w-]+(?:\.[\w-]+)+")
INTERNATIONAL = r"(?:\+|\(0|0(?![.,]))[\d ().\-/]{7,20}\d"
NORTH_AMERICAN = r"(?:1[ .-])?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}"
PHONE = re.compile(rf"(?<![\w.:/-])(?:{INTERNATIONAL}|{NORTH_AMERICAN})(?![\w:])")
PHONE_DIGITS = range(8, 16)
"""ITU E.164 allows 15; shorter ones are order numbers and error codes."""
LONGEST_TEXT = 20_000


def scrub_text(text: str) -> str:
    """`text` without what `redact` takes out before storage, and without e-mail addresses and phone numbers.

    Records keep those two, because an agent has to reach the visitor; nobody reading a trace does.
    """
    without_contacts = PHONE.sub(_phone, EMAIL.sub("[e-mail removed]", redact(text)))
    if len(without_contacts) <= LONGEST_TEXT:
        return without_contacts
    return f"{without_contacts[:LONGEST_TEXT]}… [{len(without_contacts) - LONGEST_TEXT} more characters]"


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


def _phone(found: re.Match[str]) -> str:
    digits = sum(character.isdigit() for character in found[0])
    return "[phone number removed]" if digits in PHONE_DIGITS else found[0]
