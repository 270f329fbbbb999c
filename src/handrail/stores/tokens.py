"""Words as keyword search sees them: stemmed, stop words gone, hyphenated terms kept whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import Stemmer

WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
STOP_WORDS = """
    a an and are as at be been but by can could did do does for from had has have he her his how i i'm if in into
    is it it's its just like me my no not of on or our she should so some such than that the their them then there
    these they this to too up us want was we were what when where which who why will with would you your
"""
STOP = frozenset(STOP_WORDS.split())


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)


def words(text: str) -> list[str]:
    """Lower-case words; `e-mail` and `TW-3001` stay whole."""
    return WORD.findall(text.lower())


def tokenize(text: str, language: str = "english") -> list[str]:
    """Terms for the keyword index. A joined word gives its parts and closed form too (`e-mail`: `email`, `mail`)."""
    stemmer = _stemmer(language)
    terms: list[str] = []
    for word in words(text):
        if word in STOP:
            continue
        parts = re.split(r"[-'’.]", word)
        if len(parts) > 1:
            terms.append(word)
            terms.append(stemmer.stemWord("".join(parts)))
            terms.extend(stemmer.stemWord(part) for part in parts if len(part) > 1 and part not in STOP)
        else:
            terms.append(stemmer.stemWord(word))
    return terms


def coverage(query: str, text: str, weights: Mapping[str, float], unknown: float) -> float:
    """Share of the query's terms found in `text`, weighted by idf; a term no article has counts `unknown`."""
    terms = set(tokenize(query))
    if not terms:
        return 0.0
    present = set(tokenize(text))
    total = sum(weights.get(term, unknown) for term in terms)
    return sum(weights.get(term, unknown) for term in terms if term in present) / total if total else 0.0
