"""What a text says to whoever decodes it, as a language model may: other readings of it, for signs of injection."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

BASE64 = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{16,}={0,2}(?![\w+/=-])")
HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :]?){12,}(?![0-9A-Za-z])")
ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})")
SPELLED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ ._*-]{1,3}){15,}[^\W\d_](?![^\W_])")
"""Sixteen letters or more, one by one."""
SENTENCE = re.compile(r"(?<!\w)[^\W\d_]{2,40} +[^\W\d_]{2,40} +[^\W\d_]{2}")
ALIKE = str.maketrans(
    "авеёзіјкмнорсԁѕтухһӏԛԝαβεικνορτυχ",
    "abee3ijkmhopcdstyxhlqwabeiknoptux",
)
"""Small letters of Cyrillic and Greek that look like Latin ones."""
LEET = str.maketrans("431057@$!|", "aeiostasil")


def readings(text: str) -> Iterator[str]:
    """Small letters, on one line each; the text itself is the first. Each takes time in proportion to its length."""
    plain = _folded(text)
    yield from plain.split("\n")
    seen = {plain}
    escaped = ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    line = " ".join(plain.split())
    for other in (
        line,
        _folded(unquote(html.unescape(escaped))),
        line.translate(ALIKE),
        line.translate(LEET),
        line.replace("_", " "),
        line[::-1],
        codecs.encode(line, "rot13"),
        *map(_folded, hidden(text)),
    ):
        if other not in seen:
            seen.add(other)
            yield " ".join(other.split())


def hidden(text: str) -> list[str]:
    """What stands in base64 or in hexadecimal digits, where it is text."""
    found = [_decoded(base64.urlsafe_b64decode, _padded(one)) for one in BASE64.findall(text)]
    found += [_decoded(bytes.fromhex, one.replace(":", " ")) for one in HEX.findall(text)]
    return [one for one in found if one]


def hides_words(text: str) -> bool:
    """Whether words are spelled out, or stand in base64 or hexadecimal digits: nobody asks for help like that."""
    return bool(SPELLED.search(text)) or any(SENTENCE.search(one) for one in hidden(text))


def _folded(text: str) -> str:
    """Compatible forms as one, without marks over letters and signs that nobody sees."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in apart if one.isascii() or unicodedata.category(one) not in ("Mn", "Me", "Cf"))


def _padded(text: str) -> str:
    bare = text.rstrip("=").replace("+", "-").replace("/", "_")
    return bare + "=" * (-len(bare) % 4)


def _decoded(decode: Callable[[str], bytes], text: str) -> str:
    """Empty where it is no text."""
    try:
        said = decode(text).decode()
    except (binascii.Error, ValueError):
        return ""
    return said if all(one.isprintable() or one.isspace() for one in said) else ""
