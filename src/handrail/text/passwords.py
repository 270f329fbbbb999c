"""Passwords that somebody writes behind the word for one."""

from __future__ import annotations

import re
import unicodedata

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


def without_passwords(text: str) -> str:
    """`text` with a note in place of what a password is said to be; words that only follow the name stay."""
    return SAID.sub(_noted, text)


def _noted(found: re.Match[str]) -> str:
    marked = bool(found["mark"] or found["said"])
    said = found["said"] or found["mark"] in MARKS
    if found["short"] and not (said and any(one.isdigit() for one in found["quoted"] or found["bare"])):
        return found[0]
    if found["quoted"]:
        return f"{found['name']}{found['open']}{NOTE}"
    bare = found["bare"]
    end = bare.rstrip(AFTERWARDS)
    if not _secret(end, marked=marked):
        return found[0]
    after = bare[len(end) :].lstrip("!")
    return f"{found['name']}{NOTE}{after}"


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
