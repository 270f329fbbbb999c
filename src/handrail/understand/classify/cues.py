"""A message read without its content words: who asks for what, in nine languages, whatever the company sells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files

WORD = re.compile(r"\w+(?:['’&.-]\w+)*|[?!]")
CONTENT = "·"
MASHED = "#"
NUMBER = "0"
WINDOW = 10
"""Words between which two cues may belong together."""
KEYBOARD = re.compile(
    r"asdf|sdfg|dfgh|fghj|ghjk|hjkl|lkjh|kjhg|qwer|wert[yz]|poiu|uiop|oiuy|zxcv|xcvb|cvbn|yxcv|mnbv|bvcx|fdsa|rewq|qaz|wsx"
    r"|фыва|ывап|вапр|ролдж|олджэ|лджэ|авыф|йцук|цуке|нгшщ|гшщз|ячсм|чсми|тьбю"
)
REPEATED = re.compile(r"(.)\1\1|^(..+?)\2\2+$")
VOWELLESS = re.compile(r"^[^\W\d_aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýąęóаеёиоуыэюя]{4,}$")
CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{9,}")
CLEAR = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "and",
        "or",
        "but",
        "if",
        "do",
        "does",
        "did",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "have",
        "has",
        "had",
        "will",
        "would",
        "should",
        "that",
        "this",
        "it",
        "its",
        "there",
        "who",
        "so",
        "as",
        "at",
        "by",
        "from",
        "out",
        "up",
        "off",
        "back",
        "now",
        "just",
        "only",
        "again",
        "after",
        "before",
        "then",
        "than",
        "about",
        "into",
        "over",
        "all",
        "any",
        "some",
        "more",
        "new",
        "too",
        "very",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "ein",
        "eine",
        "und",
        "oder",
        "auf",
        "für",
        "mit",
        "le",
        "la",
        "les",
        "un",
        "une",
        "des",
        "de",
        "du",
        "et",
        "pour",
        "avec",
        "el",
        "los",
        "las",
        "una",
        "y",
        "para",
        "con",
        "il",
        "lo",
        "gli",
        "di",
        "da",
        "e",
        "het",
        "een",
        "en",
        "van",
        "voor",
        "met",
        "w",
        "na",
        "z",
        "do",
        "i",
        "o",
        "a",
        "em",
        "um",
        "uma",
        "и",
        "в",
        "на",
        "с",
        "за",
    ]
)


@cache
def _lexicon() -> tuple[dict[str, str], dict[str, str]]:
    """Whole words and stems, each with its cue."""
    stored = tomllib.loads((files("handrail.understand.classify") / "cues.toml").read_text(encoding="utf-8"))
    whole: dict[str, str] = {}
    stems: dict[str, str] = {}
    for cue, entries in stored.items():
        for entry in entries.casefold().split():
            if entry.startswith("="):
                whole.setdefault(entry[1:], f"§{cue}")
            else:
                stems.setdefault(entry, f"§{cue}")
    return whole, stems


@lru_cache(maxsize=16384)
def read_word(word: str) -> str:
    """What a case-folded word counts as: a cue (`§cancel`), itself (a function word), mash, a number or content."""
    whole, stems = _lexicon()
    if word == "ourcompany":
        return "§us"
    if word in whole:
        return whole[word]
    if word in CLEAR or word in "?!":
        return word
    if word[0].isdigit():
        return NUMBER
    for end in range(len(word), 2, -1):
        if word[:end] in stems:
            return stems[word[:end]]
    return MASHED if mashed(word) else CONTENT


def mashed(word: str) -> bool:
    """Whether no hand meant this as a word."""
    return bool(KEYBOARD.search(word) or REPEATED.search(word) or VOWELLESS.match(word) or CONSONANTS.search(word))


def skeleton(folded: str) -> list[str]:
    """What the words of a case-folded text count as, with runs of content as one."""
    read: list[str] = []
    for word in WORD.findall(folded):
        found = read_word(word.replace("’", "'"))
        if found != CONTENT or not read or read[-1] != CONTENT:
            read.append(found)
    return read


def patterns(read: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Runs of one to four, and pairs of cues near each other, each with its weight."""
    padded = ["^", *read, "$"]
    for size, weight in ((1, 1.0), (2, 1.5), (3, 1.5), (4, 1.0)):
        for start in range(len(padded) - size + 1):
            yield " ".join(padded[start : start + size]), weight
    cues = [(at, word) for at, word in enumerate(read) if word.startswith("§")]
    for i, (at, first) in enumerate(cues):
        for other, second in cues[i + 1 :]:
            if other - at > WINDOW:
                break
            if first != second:
                yield f"{first}&{second}", 1.5


def shares(read: Sequence[str]) -> dict[str, float]:
    """How much of a text is mash, content or function words."""
    total = max(len(read), 1)
    return {
        "mashed": sum(word == MASHED for word in read) / total,
        "content": sum(word == CONTENT for word in read) / total,
    }
