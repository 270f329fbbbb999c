"""Where a message may be cut into requests: at the ends of sentences and clauses. What the parts are, models say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

ENDS = re.compile(r"(?<=[.!?…])(?<!\d\.)\s+|\n+|;\s+|\s+(?=[2-9][.)]\s)")
CONJUNCTIONS = {
    "de": "und|aber",
    "en": "and|but|plus",
    "es": "y|e|pero",
    "fr": "et|mais",
    "it": "e|ma",
    "nl": "en|maar",
    "pl": "i|ale",
    "pt": "e|mas",
    "ru": "и|но",
    "uk": "і|й|та|але",
}
"""What joins clauses in a language; in another it may be a word of another kind, as `en` is in French and Spanish."""
AFTER_A_STOP = {"en": "also|then", "ru": "а"}
"""What also joins them, but only behind a comma or a dash."""
MOST = 8
LEAST_WORDS = 3


def pieces(text: str, lang: str = "en") -> Sequence[str]:
    """Sentences and joined clauses in order, each of a few words at least; the whole alone where there is one, or very
    many. Together they are the message, which is in `lang`: without conjunctions for it, only stops and commas join."""
    found: list[str] = []
    for sentence in (part.strip() for part in ENDS.split(text)):
        begin = 0
        for joint in _joints(lang).finditer(sentence):
            if _enough(sentence[begin : joint.start()]) and _enough(sentence[joint.end() :]):
                found.append(sentence[begin : joint.start()])
                begin = joint.end()
        if sentence[begin:]:
            found.append(sentence[begin:])
    return found if 1 < len(found) <= MOST else [text]


def joined(parts: Sequence[str]) -> str:
    return " ".join(part if part[-1:] in ".?!…" else f"{part}." for part in (one.strip(" ,;") for one in parts) if part)


@cache
def _joints(lang: str) -> re.Pattern[str]:
    """Where clauses are joined."""
    anywhere = CONJUNCTIONS.get(lang, "")
    behind = "|".join(filter(None, (anywhere, AFTER_A_STOP.get(lang, ""))))
    stop = r"\s*[,;–—]\s+" + (rf"(?:(?:{behind})\s+)?" if behind else "")
    return re.compile(stop + (rf"|\s+(?:{anywhere})\s+" if anywhere else ""), re.IGNORECASE)


def _enough(part: str) -> bool:
    return len(part.split()) >= LEAST_WORDS
