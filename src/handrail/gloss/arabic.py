"""Arabic words as they are looked up: one spelling of each, and what is written in one word with it taken off.

And, for, by, like, the, my and you are letters before or behind a word; the article and the endings are those of the
light stemmers (Larkey, Ballesteros and Connell, "Improving Stemming for Arabic Information Retrieval", SIGIR 2002),
with the letters for present, future and "not" of what is spoken in Egypt, the Levant, the Gulf and the Maghreb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f]")
"""Vowels above and below letters, what only stretches a word, and marks of direction."""
BEFORE_OTHERS = re.compile("\\b[وفبلك]{0,2}(?:ال)?(?=[A-Za-z0-9])")
"""What is written in one word with a number or a name in Latin letters."""
SIGNS = str.maketrans("،؛؟٪٫٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", ",;?%." + "0123456789" * 2)
LETTERS = str.maketrans("أإآٱىةؤئکیھ", "اااايهويكيه", "ء")
"""Letters that are typed for one another, and the one that is left out."""
AND = ("و", "ف")
BEFORE = ("وبال", "فبال", "وكال", "عال", "هال", "بال", "كال", "فال", "وال", "ولل", "فلل", "ال", "لل")
LETTER_BEFORE = ("وب", "ول", "فب", "فل", "ب", "ل", "ك")
TIME_BEFORE = re.compile("^(?:و?(?:ب|ح|ه|س|عم|را)|ك)(?=[اتين])")
"""Present and future: `بيوصل` and `هيوصل` of `يوصل`."""
BEHIND = ("هما", "كما", "ها", "نا", "ني", "كم", "هم", "كن", "هن", "ي", "ك", "ه", "وا", "ا")
PLURAL = ("ات", "ون", "ين", "ان")
NOT = re.compile("^(?:ما|م)(.{3,})ش$")
LEAST, LEAST_BARE = 2, 3
"""Letters that are left behind "and" and the article, and where another letter or an ending was taken off."""


def cleaned(text: str) -> str:
    """Words without marks, digits and punctuation as English has them."""
    return BEFORE_OTHERS.sub("", MARKS.sub("", text).translate(SIGNS))


def folded(word: str) -> str:
    return cleaned(word).translate(LETTERS)


def negated(word: str) -> str | None:
    """`بيوصل` of `مابيوصلش`; None of what is no such word."""
    found = NOT.match(word)
    return found[1] if found else None


def shorter(word: str) -> Iterator[str]:
    """Of a `folded` word what it may be without what is written in one with it, the least taken off first."""
    starts = list(_without_start(word))
    yield from starts[1:]
    for start in starts:
        yield from _without_end(start)


def _without_start(word: str) -> Iterator[str]:
    yield word
    for letters, least in ((BEFORE, LEAST), (AND, LEAST), (LETTER_BEFORE, LEAST_BARE)):
        for prefix in letters:
            if word.startswith(prefix) and len(word) - len(prefix) >= least:
                yield word[len(prefix) :]
    rest = TIME_BEFORE.sub("", word)
    if rest != word and len(rest) >= LEAST_BARE:
        yield rest


def _without_end(word: str) -> Iterator[str]:
    for suffix in (*BEHIND, *PLURAL):
        rest = word[: -len(suffix)]
        if not word.endswith(suffix) or len(rest) < LEAST_BARE:
            continue
        yield rest
        if rest.endswith("ت") or suffix in PLURAL:
            yield f"{rest.removesuffix('ت')}ه"
