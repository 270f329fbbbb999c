"""Misspelt words of a question put right after the words of the articles, or else the common ones of the language.

A word that the articles hold in any form, that is common itself, or that stands among the everyday ones (a router
is no route) is never touched; nor are two such words written as one (Storybook), short words, codes, and messages that
are mostly not words at all. A slip is a letter too many, too few, a wrong one, or two in the wrong order.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from handrail.language import of_message
from handrail.retrieve.everyday import said
from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import STOP, tokenize

LANG = "en"
PLAIN = re.compile(r"(?<![\w'’.@/-])[^\W\d_]{5,20}(?![\w'’@/-]|\.\w)")
RUN_TOGETHER = re.compile(
    r"(?:are|could|did|does|had|has|have|is|must|need|should|was|were|would)nt|you(?:re|ve|ll)|theyre|"
    r"(?:that|there|what|where)s"
)
"""Written without their apostrophe, these are no misspellings of anything else."""
SEEN = 2
"""Times a word must stand in the articles before another is taken for it."""
COMMONEST = 8000
"""Common words that others are taken for; further ones are only left alone."""
HALF = 4
"""Letters that each half of a compound has at least."""


class Spelling:
    def __init__(self, snapshot: Snapshot, common: Sequence[str]) -> None:
        """`common` are the language's common words, in lower case, the commonest first."""
        self._snapshot = snapshot
        self._active = snapshot.lang == LANG
        if self._active:
            seen = Counter(_words(passage.embedding_text for passage in snapshot.passages))
            self._often = {word: count for word, count in seen.items() if count >= SEEN}
            self._common = frozenset(common[:COMMONEST])
            self._stems = frozenset(term for word in common for term in tokenize(word, snapshot.stemming))

    def mended(self, text: str) -> str:
        """`text` itself where nothing is misspelt, or so much is that it is no language this knows."""
        if not self._active or of_message(text) != LANG:
            return text
        unknown = {match[0] for match in PLAIN.finditer(text) if not self._known(match[0].lower())}
        better = {word: self._meant(word) for word in unknown}
        if 2 * list(better.values()).count(None) > len(text.split()):
            return text
        return PLAIN.sub(lambda match: better.get(match[0]) or match[0], text)

    def _known(self, word: str) -> bool:
        terms = tokenize(word, self._snapshot.stemming)
        return (
            word in STOP
            or word in said()
            or RUN_TOGETHER.fullmatch(word) is not None
            or any(term in self._snapshot.vocabulary or term in self._stems for term in terms)
            or any(self._whole(word[:at]) and self._whole(word[at:]) for at in range(HALF, len(word) - HALF + 1))
        )

    def _whole(self, half: str) -> bool:
        return half in self._common or half in self._often

    def _meant(self, word: str) -> str | None:
        """The word one slip away that is the most frequent in the articles, or else a common one.

        What is written like a name may be one that no list holds, and another letter makes another word of many (kilos,
        kills): such are only taken for words of the articles.
        """
        near = set(slips(word.lower()))
        said = [other for other in near.union(replaced(word.lower())) if other in self._often]
        if said:
            return min(said, key=lambda other: (-self._often[other], other))
        return min((other for other in near if other in self._common), default=None) if word.islower() else None


def slips(word: str) -> Iterator[str]:
    """Every spelling with a letter more, one less, or two swapped; the first letter is taken to be right."""
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        yield from (before + letter + after for letter in string.ascii_lowercase)
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def replaced(word: str) -> Iterator[str]:
    """Every spelling with another letter in one place but the first."""
    for at in range(1, len(word)):
        yield from (word[:at] + letter + word[at + 1 :] for letter in string.ascii_lowercase)


def _words(texts: Iterable[str]) -> Iterable[str]:
    return (match[0].lower() for text in texts for match in PLAIN.finditer(text))
