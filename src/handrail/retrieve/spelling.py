"""Misspelt words of a question put right against the words of the articles.

A word that the articles hold in any form, or that the encoder's tokenizer has as one piece (the common words of its
language), is never touched; nor are short words, codes, and messages that are mostly not words at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import STOP, tokenize

LANG = "en"
PLAIN = re.compile(r"(?<![\w'’.@/-])[^\W\d_]{5,20}(?![\w'’@/-]|\.\w)")
LONG = 10
"""Letters from which a word may be two slips away, not one."""
RUN_TOGETHER = re.compile(
    r"(?:are|could|did|does|had|has|have|is|must|need|should|was|were|would)nt|you(?:re|ve|ll)|theyre"
)
"""Written without their apostrophe, these are no misspellings of anything else."""
SEEN = 2
"""Times a word must stand in the articles before another is taken for it."""


class Spelling:
    """`common` says whether a word is one of the language's common ones."""

    def __init__(self, snapshot: Snapshot, common: Callable[[str], bool]) -> None:
        self._snapshot = snapshot
        self._common = common
        self._active = snapshot.lang == LANG
        seen = Counter(_words(passage.embedding_text for passage in snapshot.passages)) if self._active else Counter()
        self._counts: Counter[str] = seen
        self._by_start: dict[str, list[str]] = {}
        for word, count in seen.items():
            if count >= SEEN:
                self._by_start.setdefault(word[0], []).append(word)

    def mended(self, text: str) -> str:
        """`text` itself where nothing is misspelt, or so much is that it is no language this knows."""
        if not self._active:
            return text
        unknown = {match[0] for match in PLAIN.finditer(text) if not self._known(match[0].lower())}
        better = {word: self._nearest(word.lower()) for word in unknown}
        if 2 * list(better.values()).count(None) > len(text.split()):
            return text
        return PLAIN.sub(lambda match: better.get(match[0]) or match[0], text)

    def _known(self, word: str) -> bool:
        terms = tokenize(word, self._snapshot.stemming)
        return (
            word in STOP
            or bool(RUN_TOGETHER.fullmatch(word))
            or any(term in self._snapshot.vocabulary for term in terms)
            or self._common(word)
        )

    def _nearest(self, word: str) -> str | None:
        """The article word the fewest slips away, of several the most frequent."""
        limit = 2 if len(word) >= LONG else 1
        near = [
            (slips, -self._counts[other], other)
            for other in self._by_start.get(word[0], ())
            if abs(len(other) - len(word)) <= limit and (slips := distance(word, other, limit)) <= limit
        ]
        return min(near)[2] if near else None


def distance(one: str, other: str, limit: int) -> int:
    """Letters added, left out, replaced or swapped (optimal string alignment); any number over `limit` is one more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def _words(texts: Iterable[str]) -> Iterable[str]:
    return (match[0].lower() for text in texts for match in PLAIN.finditer(text))
