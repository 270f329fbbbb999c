"""Secrets that visitors paste into free text, taken out before anything is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.text import cards, national_ids, passwords
from handrail.text.removed import Span, Stage, without

NOTE = "[token removed]"
IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}")
IBAN_SEPARATORS = " -./"
KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)", re.S
)
NAMED_TOKEN = re.compile(
    r"(?<![^\W_])((?:(?:api|access|auth|client|private|bearer|refresh|session|admin|secret)[ _-]?(?:access[ _-]?)?"
    r"(?:key|token|secret)|authorization\s*:\s*(?:bearer|basic|token)|bearer|x-api-key)(?!\w)"
    r"(?:\s*(?P<mark>[:=])\s*|\s+(?:(?P<said>is|ist|lautet|est|es|é|è)\s+)?)[\"'`]?)(?P<value>[\w./+~-]{8,}={0,2})(?![\w=])",
    re.I,
)
UNMARKED = 16
"""Characters from which on what stands behind the name of a token is one, whatever is between them."""
IN_ADDRESS = re.compile(
    r"(?<=[?&#;])((?:access_|auth_|refresh_|reset_|id_)?token|api_?key|sig|signature|secret|password|passwd|pwd)=[^\s&#;]{6,}",
    re.I,
)
SIGNED_IN = re.compile(r"(?<=://)([^\s/@:]{1,64}):[^\s/@]{1,128}(?=@)")
TOKEN = re.compile(r"(?<![A-Za-z0-9_-])(?:(?:SG|ya29)\.[\w.-]{20,}|[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{8,}){0,2})")
KNOWN_TOKEN = re.compile(
    r"(?:sk|pk|rk|whsec)[-_]|gh[pousr]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-|xox[abeprs]-|xapp-|eyJ|AKIA|ASIA|AIza|LTAI|EAA|SG\.|ya29\.|"
    r"hf_|npm_|pypi-|dckr_pat_|do[opr]_v1_|shp[a-z]{2}_|sq0[a-z]{3}-|rzp_(?:live|test)_|sbp_|figd_|lin_api_|NRAK-|dapi[0-9a-f]|hrk_"
)
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

IBAN_COUNTRIES = {
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
"""Countries by the length of their IBANs, from the SWIFT registry."""
IBAN_LENGTHS = {country: length for length, countries in IBAN_COUNTRIES.items() for country in countries.split()}


def redact(text: str) -> str:
    """`text` with a note in place of passwords, card numbers, IBANs, ID numbers and access tokens."""
    return without(text, STAGES)


def _key_blocks(text: str) -> Iterator[Span]:
    yield from ((*found.span(), NOTE) for found in KEY_BLOCK.finditer(text))


def _signed_in(text: str) -> Iterator[Span]:
    yield from ((found.end(1) + 1, found.end(), passwords.NOTE) for found in SIGNED_IN.finditer(text))


def _named(text: str) -> Iterator[Span]:
    """What a token is said to be; words that only follow the name stay."""
    for found in NAMED_TOKEN.finditer(text):
        value = found["value"]
        letters, digits = any(one.isalpha() for one in value), any(one.isdigit() for one in value)
        if letters and digits and (found["mark"] or found["said"] or len(value) >= UNMARKED):
            yield found.end(1), found.end(), NOTE


def _in_addresses(text: str) -> Iterator[Span]:
    yield from ((found.end(1) + 1, found.end(), NOTE) for found in IN_ADDRESS.finditer(text))


def _ibans(text: str) -> Iterator[Span]:
    done = 0
    for start in IBAN_START.finditer(text):
        end = _iban_end(text, start.start())
        if end is not None and start.start() >= done:
            yield start.start(), end, "[IBAN removed]"
            done = end


def _tokens(text: str) -> Iterator[Span]:
    for found in TOKEN.finditer(text):
        if _is_token(found[0]):
            yield *found.span(), NOTE


def _iban_end(text: str, start: int) -> int | None:
    """Where the IBAN at `start` ends, its length being given by its country; None when its check digits are wrong."""
    length = IBAN_LENGTHS.get(text[start : start + 2].upper())
    compact, end = "", start
    while length and len(compact) < length and end < len(text):
        if not (text[end].isascii() and text[end].isalnum()) and text[end] not in IBAN_SEPARATORS:
            return None
        compact += text[end] if text[end] not in IBAN_SEPARATORS else ""
        end += 1
        if end - start > 2 * length:
            return None
    if len(compact) != length or text[end : end + 1].isalnum():
        return None
    number = int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4]))
    return end if number % 97 == 1 else None


STAGES: tuple[Stage, ...] = (
    _key_blocks, _signed_in, _named, _in_addresses, passwords.found_in, _ibans, *cards.STAGES, *national_ids.STAGES,
    _tokens,
)  # fmt: skip
"""In their order: what an earlier one takes out is nothing to the later ones."""


def _is_token(text: str) -> bool:
    """Known prefixes, long hexadecimal runs, and long runs that mix both cases with digits."""
    if UUID.fullmatch(text):
        return False
    if KNOWN_TOKEN.match(text):
        return True
    digits = any(character.isdigit() for character in text)
    if len(text) >= 32 and digits and all(character in "0123456789abcdefABCDEF" for character in text):
        return not text.isdigit()
    return len(text) >= 24 and digits and any(c.isupper() for c in text) and any(c.islower() for c in text)
