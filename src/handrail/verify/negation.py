"""Which words stand under a "not": polarity flips between a claim and its passage are what similarity cannot see."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.text.words import Token
from handrail.verify.lexicon import CLAUSE_BREAKS, NEGATORS, STOP

REACH = 5
"""Content words a negation holds for, unless its clause ends before."""


def negated(words: Sequence[Token], text: str) -> list[bool]:
    """For each word whether a negation before it in its clause holds for it."""
    marks: list[bool] = []
    left = 0
    for index, word in enumerate(words):
        gap = text[words[index - 1].end : word.start] if index else ""
        if any(sign in gap for sign in ",;:.!?(") or word.lower in CLAUSE_BREAKS:
            left = 0
        if is_negator(word.lower):
            marks.append(False)
            left = 0 if _idiom(words, index) else REACH
            continue
        marks.append(left > 0)
        if left and word.lower not in STOP:
            left -= 1
    return marks


def is_negator(word: str) -> bool:
    return word in NEGATORS or word.endswith("n't")


def count(words: Sequence[Token]) -> int:
    return sum(is_negator(word.lower) and not _idiom(words, index) for index, word in enumerate(words))


def _idiom(words: Sequence[Token], index: int) -> bool:
    """ "No more than", "not only", "no later than" and "No." negate nothing."""
    following = words[index + 1].lower if index + 1 < len(words) else ""
    return words[index].lower in ("no", "not") and following in ("more", "later", "less", "fewer", "only")
