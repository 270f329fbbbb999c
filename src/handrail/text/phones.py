"""Telephone numbers in free text, by the numbering plans of the `phonenumbers` library."""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from functools import lru_cache

import phonenumbers

CANDIDATE = re.compile(
    r"(?:(?<![\w.:/+-])|(?<=[^\W\d]:))(?!0[.,]\d{3})(?:\+ ?)?\(?\+?\d[\d ().\-/\u00a0]{5,22}\d(?!\w|:\d|[.,]\d)"
)
WITH_TRUNK = ("GB", "DE", "AT", "CH", "FR", "BE", "NL", "IT", "SE", "AU", "BR", "IN", "SA", "EG", "AE")
"""Where national numbers are written with a 0 before them."""
WITHOUT_TRUNK = ("US", "MX", "ES", "PT", "PL", "IT", "BR", "RU")
BARE = ("US", "RU")
"""Where they are also written without any sign between the digits."""
NATIONAL = range(9, 13)
"""Digits of such a number; shorter ones are postcodes, order numbers and error codes."""
GROUPED = re.compile(r"(?=.*\d{3})\D*\d{1,5}(?:\D+\d{1,5})*\D+\d{1,4}")
DATE = re.compile(
    r"(?:[0-3]?\d[./-]){2}(?:(?:19|20)\d{2}(?!\d)|\d{2}(?!\d|[./-]\d))|(?:19|20)\d{2}[-/.][01]?\d[-/.][0-3]?\d"
)
VERSION = re.compile(r"\d+(?:\.\d+)*\.\d(?:\.\d+)+")
"""Such as 119.0.6045.159: a single digit between dots, and no country before it."""
SINGLE = re.compile(r"(?<!\d)\d(?!\d)")
MOST = 40
"""Candidates of one text that are looked up; a text with more of them is no question, and all of them go."""


def phones(text: str) -> list[tuple[int, int]]:
    """Where numbers begin and end."""
    found = list(CANDIDATE.finditer(text))
    return [one.span() for number, one in enumerate(found) if number >= MOST or is_phone(one[0])]


@lru_cache(maxsize=1024)
def is_phone(text: str) -> bool:
    """Whether somebody could be called at `text`, as it is written there."""
    with suppress(ValueError):
        ipaddress.ip_address(text)
        return False
    if DATE.match(text) or VERSION.fullmatch(text):
        return False
    digits = "".join(character for character in text if character.isdigit())
    if "+" in text or digits.startswith("00"):
        number = _parsed(f"+{digits.removeprefix('00')}".replace("(0)", ""), None)
        return number is not None and phonenumbers.is_possible_number(number)
    if len(digits) not in NATIONAL or len(SINGLE.findall(text)) > 1:
        return False
    written = WITHOUT_TRUNK if GROUPED.fullmatch(text) else BARE if text.isdigit() else ()
    regions = WITH_TRUNK if digits[0] == "0" else written
    return any(_valid(text, region) for region in regions)


def _valid(text: str, region: str) -> bool:
    number = _parsed(text, region)
    return number is not None and phonenumbers.is_valid_number_for_region(number, region)


def _parsed(text: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None
