"""Greetings, thanks and pleas around a message: they ask for nothing, so reading a message leaves them out."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files

SAID: dict[str, str] = tomllib.loads((files("handrail.text") / "courtesies.toml").read_text(encoding="utf-8"))
OPENING, FORMAL, ADDRESSED = SAID["openings"], SAID["formal"], SAID["addressed"]
THANKS, FAREWELL = SAID["thanks"], SAID["farewells"]
NAMED = r"(?:[ ]+(?-i:[A-ZÄÖÜÉ][a-zà-ÿ][\w'&-]*)){0,2}(?:[ ]+(?:team|support|crew|folks))?[ ]*[,!.:;–—]"
SIGNED = r"(?:[,.!\s–—-]+(?-i:[A-ZÄÖÜ][\w.'-]*)(?:\s+(?-i:[A-ZÄÖÜ][\w.'-]*)){0,2})?"
ENDED = r"[\s.!,:)☺🙂🙏-]*\Z"
VERBOSE = re.IGNORECASE | re.VERBOSE
GREETED = re.compile(
    rf"\A[\s,.!-]*(?:(?:{OPENING}|{FORMAL})(?:{ADDRESSED}[ ]*(?:[,!.:;–—]+|\n)|{NAMED})"
    rf"|{OPENING}{ADDRESSED}(?=[ ])(?![ ](?:world|kitty|page|message)\b))[\s,.!:;–—-]*",
    VERBOSE,
)
WELCOMED = re.compile(rf"\A{SAID['welcome']}[ ]*(?:[.!?,;:–—]+|\n|-[ ])[\s]*(?:(?:but|so|und|et|y)[ ]+)?", VERBOSE)
NAME = r"(?-i:[A-ZÄÖÜÉ][\w'’&.-]*(?:[ ][A-ZÄÖÜÉ][\w'’&.-]*){0,3})"
INTRODUCED = re.compile(
    rf"\A(?:{SAID['introduced'].replace('NAME', NAME)})[ ]*(?:[,.!;:–—\n]|-[ ])[\s]*(?:(?:and|und|et|y|e)[ ]+)?",
    VERBOSE,
)
CLOSED = re.compile(
    rf"(?:(?:[,;–—\n]|[ ]-)[\s–—-]*|(?P<stop>[.!?…]+)\s*)(?:{THANKS}|{FAREWELL}){SIGNED}{ENDED}|\s+{THANKS}{ENDED}",
    VERBOSE,
)
BRANDED = re.compile(r"\A\W*hello ?fresh|\A\W*(?:dear|yo) (?:diary|lord|god|me)\b", re.I)
TRAILER = re.compile(r"(?<=\w)[\s,]+(?:then|tho|though)(?P<end>\s*[?!.]*)\s*\Z", re.I)
FEWEST_WORDS = 4
"""Words of a question from which a "then" behind it says nothing."""
TIMES = 4
REACH = 160
"""Characters at the end in which a farewell is looked for."""


@lru_cache(maxsize=4096)
def without_courtesies(text: str) -> str:
    """The message less greeting, good wishes, thanks and farewell; as it was where nothing else is in it."""
    found = _closed(_opened(text.strip()))
    return found if any(character.isalpha() for character in found) else text.strip()


def without_trailer(text: str) -> str:
    """A question less the "then" at its end."""
    rest = TRAILER.sub(r"\g<end>", text)
    return rest if len(rest.split()) >= FEWEST_WORDS else text


def _opened(text: str) -> str:
    for _ in range(TIMES):
        if BRANDED.match(text):
            break
        rest = INTRODUCED.sub("", WELCOMED.sub("", GREETED.sub("", text, count=1), count=1), count=1)
        if rest == text or not rest:
            return rest
        text = rest
    return text


def _closed(text: str) -> str:
    for _ in range(TIMES):
        start = max(0, len(text) - REACH)
        found = CLOSED.search(text, start)
        if found is None:
            break
        text = text[: found.start()] + (found["stop"] or "")
    return text
