"""Passwords that somebody writes behind the word for one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from handrail.text.removed import Span

NOTE = "[password removed]"
NAMES = (
    r"passwor[dt]|passcode|passphrase|pwd|kennwort|zugangscode|mot de passe|mdp|contraseña|clave|senha|"
    r"palavra[- ]passe|parola d'ordine|пароль|كلمة (?:المرور|السر)|wachtwoord|has[łl]o"
)
SHORT = r"passwd|pass|pw|pin(?:[- ]?code)?"
"""Names that are also other words: what follows has to be said to be one, and to hold a digit."""
MARKS = (":", "=")
IS = r"is|was|to|ist|war|lautet|auf|est|était|c['’]est|es|era|é|è|это|был|هي|هو"
SAID = re.compile(
    rf"(?<!\w)(?P<name>(?:{NAMES}|(?P<short>{SHORT}))(?!\w| removed\])"
    rf"(?:\s+(?P<said>{IS})(?!\w))?\s*(?P<mark>[:=—–-]?)\s*)"
    r"(?:(?P<open>[\"'«“„`])(?P<quoted>[^\n\"'«»“”„`]{3,64})(?=[\"'»”“`])|(?P<bare>[^\s\"'«»“”„`]{4,64}))",
    re.I,
)
AFTERWARDS = ".,;:)?!"
ADDRESS = re.compile(r"\S+://|[^@]+@[^@]+\.\w+$|[^@]+@$")


def found_in(text: str) -> Iterator[Span]:
    """What passwords are said to be; words that only follow the name stay."""
    for found in SAID.finditer(text):
        if (place := _place(found)) is not None:
            yield *place, NOTE


def _place(found: re.Match[str]) -> tuple[int, int] | None:
    marked = bool(found["mark"] or found["said"])
    said = found["said"] or found["mark"] in MARKS
    if found["short"] and not (said and any(one.isdigit() for one in found["quoted"] or found["bare"])):
        return None
    if found["quoted"]:
        return found.span("quoted")
    bare = found["bare"]
    end = bare.rstrip(AFTERWARDS)
    if not _secret(end, marked=marked):
        return None
    return found.start("bare"), found.end() - len(bare[len(end) :].lstrip("!"))


def _combining(character: str) -> bool:
    """Whether it is written over, under or beside a letter, as the vowels of Thai and Hindi are."""
    return unicodedata.category(character).startswith("M")


def _secret(text: str, *, marked: bool) -> bool:
    """A word with a digit or a sign in it, or, where it is said to be one, a number alone."""
    if ADDRESS.match(text):
        return False
    letters, digits = any(c.isalpha() for c in text), any(c.isdigit() for c in text)
    signs = any(not (c.isalnum() or c in "-’'/" or _combining(c)) for c in text)
    return (letters and (digits or signs)) or (marked and text.isdigit())
