"""Digits, hyphens, spaces and signs in the one form that patterns know, place by place."""

from __future__ import annotations

import unicodedata

HYPHENS = "\u2010\u2011\u2012\u2212\ufe63"
"""Not dashes: they are no part of a number."""
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
WIDE = range(0xFF01, 0xFF5F)
"""Full-width forms of ASCII, 0xFEE0 above it."""
OTHERS = {
    **dict.fromkeys(map(ord, HYPHENS), "-"),
    **dict.fromkeys(map(ord, SPACES), " "),
    **{code: chr(code - 0xFEE0) for code in WIDE},
}


def folded(text: str) -> str:
    """`text` with the digits of all scripts as 0 to 9; each character stays in its place."""
    if text.isascii():
        return text
    plain = text.translate(OTHERS)
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in plain)
