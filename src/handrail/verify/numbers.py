"""Numbers with their units, so that "two weeks" is 14 days, "5 %" five percent and "2 p.m." 14:00."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from handrail.text.words import Token

WORDS = {
    word: float(value)
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
WORDS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
WORDS |= {"dozen": 12, "twice": 2, "double": 2, "half": 0.5, "quarter": 0.25, "thrice": 3}
SCALES = {"hundred": 100.0, "thousand": 1000.0, "k": 1000.0, "million": 1e6, "m": 1e6}
UNITS: dict[str, tuple[str, float]] = {}
for _names, _unit, _factor in (
    ("second seconds sec secs s", "seconds", 1),
    ("minute minutes min mins", "seconds", 60),
    ("hour hours hr hrs h", "seconds", 3600),
    ("day days", "seconds", 86_400),
    ("week weeks fortnight", "seconds", 604_800),
    ("month months", "months", 1),
    ("quarter quarters", "months", 3),
    ("year years yr", "months", 12),
    ("€ euro euros eur", "eur", 1),
    ("$ dollar dollars usd buck bucks", "usd", 1),
    ("£ pound pounds gbp quid", "gbp", 1),
    ("¥ yen jpy", "jpy", 1),
    ("franc francs chf", "chf", 1),
    ("% percent percentage pct", "percent", 1),
    ("kb kilobyte kilobytes", "bytes", 1e3),
    ("mb megabyte megabytes", "bytes", 1e6),
    ("gb gigabyte gigabytes", "bytes", 1e9),
    ("tb terabyte terabytes", "bytes", 1e12),
    ("g gram grams", "grams", 1),
    ("kg kilo kilos kilogram kilograms", "grams", 1000),
    ("mm", "metres", 0.001),
    ("cm", "metres", 0.01),
    ("m metre metres meter meters", "metres", 1),
    ("km kilometre kilometres", "metres", 1000),
    ("px pixel pixels", "pixels", 1),
):
    UNITS |= {name: (_unit, float(_factor)) for name in _names.split()}
SIGNS = frozenset("€$£¥")
BETWEEN = frozenset(["working", "business", "calendar", "full", "further", "whole", "more", "consecutive", "extra"])
"""Words that may stand between a number and its unit."""
NOON = 720.0
CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class Quantity:
    value: float
    """In the unit's base: seconds, months, bytes, or as written."""
    unit: str
    """`seconds`, `months`, `clock`, a currency, `percent` …; empty where there is none that is known."""
    start: int
    end: int

    def equals(self, other: Quantity) -> bool:
        same = abs(self.value - other.value) <= 1e-6 * max(1.0, abs(self.value))
        return same and (self.unit == other.unit or not self.unit or not other.unit)


@lru_cache(maxsize=1024)
def quantities(words: tuple[Token, ...]) -> Sequence[Quantity]:
    """In reading order. "One" counts only in front of a unit: elsewhere it is mostly a pronoun."""
    found: list[Quantity] = []
    at = 0
    while at < len(words):
        read = _read(words, at)
        if read is None:
            at += 1
            continue
        quantity, at = read
        found.append(quantity)
    return found


def _read(words: Sequence[Token], at: int) -> tuple[Quantity, int] | None:
    token = words[at]
    word = token.lower
    if word in ("midnight", "noon", "midday"):
        return Quantity(0.0 if word == "midnight" else NOON, "clock", token.start, token.end), at + 1
    if match := CLOCK.fullmatch(word):
        minutes = int(match[1]) * 60.0 + int(match[2])
        return _clock(words, at, minutes, at + 1)
    value = _number(word)
    after = at + 1
    if value is None:
        if word in ("a", "an") and after < len(words) and words[after].lower in UNITS:
            value = 1.0
        else:
            return None
    elif word in ("half", "quarter") and [w.lower for w in words[after : after + 1]] == ["of"]:
        after += 1 + (after + 1 < len(words) and words[after + 1].lower in ("a", "an"))
    elif word == "half" and after < len(words) and words[after].lower in ("a", "an"):
        after += 1
    while after < len(words) and words[after].lower in SCALES and words[after].lower not in UNITS:
        value *= SCALES[words[after].lower]
        after += 1
    if after < len(words) and words[after].lower in ("am", "pm", "a", "p", "at", "o'clock"):
        clock = _clock(words, at, value * 60.0, after)
        if clock is not None:
            return clock
    reach = after
    while reach < len(words) - 1 and reach - after < 2 and words[reach].lower in BETWEEN:
        reach += 1
    named = words[reach].lower if reach < len(words) else ""
    if at and words[at - 1].text in SIGNS:
        unit, factor = UNITS[words[at - 1].text]
        return Quantity(value * factor, unit, words[at - 1].start, words[after - 1].end), after
    if named in UNITS and not (named in ("s", "m", "g", "h") and not word[0].isdigit()):
        unit, factor = UNITS[named]
        if named == "fortnight":
            factor = 1_209_600.0
        if [w.lower for w in words[reach + 1 : reach + 4]] == ["and", "a", "half"]:
            return Quantity((value + 0.5) * factor, unit, token.start, words[reach + 3].end), reach + 4
        return Quantity(value * factor, unit, token.start, words[reach].end), reach + 1
    if word in ("one", "half", "quarter", "double"):
        return None
    return Quantity(value, "", token.start, words[after - 1].end), after


def _clock(words: Sequence[Token], at: int, minutes: float, after: int) -> tuple[Quantity, int] | None:
    """A time of day, with what follows it: `2 p.m.`, `eleven at night`, `14:00`."""
    rest = [word.lower for word in words[after : after + 3]]
    if rest[:1] in (["am"], ["pm"]):
        used, late = 1, rest[0] == "pm"
    elif rest[:2] in (["a", "m"], ["p", "m"]):
        used, late = 2, rest[0] == "p"
    elif rest[:2] == ["at", "night"] or rest[:3] in (["in", "the", "evening"], ["in", "the", "afternoon"]):
        used, late = (2 if rest[0] == "at" else 3), True
    elif rest[:3] == ["in", "the", "morning"]:
        used, late = 3, False
    elif rest[:1] == ["o'clock"]:
        used, late = 1, False
    elif ":" in words[at].text:
        used, late = 0, False
    else:
        return None
    minutes = minutes % NOON + (NOON if late else 0.0) if used and minutes <= NOON else minutes
    return Quantity(minutes, "clock", words[at].start, words[after + used - 1].end), after + used


def is_code(word: str) -> bool:
    """Digits that are no number and no time of day, such as an address (`203.0.113.20`) or a version (`4.2.1`)."""
    return word[0].isdigit() and ":" not in word and word[-1].isdigit() and _number(word) is None


def invents_a_number(claim: tuple[Token, ...], known: tuple[Token, ...]) -> bool:
    """Whether it has a number, with its unit or in digits, that stands nowhere in `known`, whatever unit follows there.

    "Two ways" only counts what is listed, and "a month" may be what "monthly" says.
    """
    amounts, plain = quantities(known), written(known)
    for number in quantities(claim):
        own = [word for word in claim if number.start <= word.start < number.end]
        if not number.unit and not any(word.text[0].isdigit() for word in own):
            continue
        values = written(own)
        if values and values.isdisjoint(plain) and not any(number.equals(other) for other in amounts):
            return True
    return False


def written(words: Sequence[Token]) -> set[float]:
    """The numbers as they stand, whatever unit follows: what can be compared across languages."""
    return {value for word in words if (value := _number(word.lower)) is not None}


def _number(word: str) -> float | None:
    if word in WORDS:
        return WORDS[word]
    if not word[0].isdigit() or ":" in word:
        return None
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits):
        return float(re.sub(r"[.,]", "", digits))
    try:
        return float(digits.replace(",", "."))
    except ValueError:
        return None
