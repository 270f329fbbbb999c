"""Which language a message is in by the words it has, and how it reads in English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files

from handrail.gloss.order import in_order
from handrail.gloss.words import WORD, Gloss, word_list
from handrail.language import foreign, likeliest, of_script
from handrail.stores.tokens import STOP

LETTER = re.compile(r"[^\W\d_]")
CANDIDATES = 3
"""Languages that a message in Latin letters may be in, the likeliest by its letters, whose words are looked for."""
SHORT = 5
"""Words up to which the letters have to look more like the language than like English: "samsung" has three Danish words
in it (experiment 204)."""


class Interpreter:
    """Reads what is written in a language with a word list; English and every other language stay as they are."""

    def __init__(self, common: Iterable[str], known: Callable[[str], bool] | None = None) -> None:
        """`common` are common English words in lower case; `known` says whether one is among the articles' words.

        The lists are read here, so that no visitor waits for them.
        """
        self._common = STOP.union(common)
        self._known = known if known is not None else self._common.__contains__
        self._lists = {lang: gloss(lang) for lang in languages()}

    def read(self, text: str) -> str:
        found = self._spoken(text)
        return in_order(found.read(text)) if found is not None else text

    def _spoken(self, text: str) -> Gloss | None:
        """The language with more words of its own in `text` than English has, small words counting first."""
        script = of_script(text)
        if script is not None:
            return self._lists.get(script)
        words = [word.lower() for word in WORD.findall(text) if LETTER.search(word)]
        foreign = [word for word in words if word not in self._common and not self._known(word)]
        if not foreign:
            return None
        small = sum(word in STOP for word in words)
        ranked = [lang for lang in likeliest(text) if lang in self._lists or lang == "en"][:CANDIDATES]
        found = {lang: _counted(self._lists[lang], words, foreign) for lang in ranked if lang != "en"}
        best = max(found, key=lambda lang: found[lang], default=None)
        if best is None:
            return None
        own, shared = found[best]
        ours = len(words) - len(foreign) - shared
        clear = own > small and (own > ours or (own == ours and ranked[0] == best))
        likelier = "en" not in ranked or ranked.index(best) < ranked.index("en")
        return self._lists[best] if clear and (likelier or len(words) > SHORT) else None


def otherwise_than_in_english(text: str, interpret: Callable[[str], str] | None) -> bool:
    """Whether a message is in another language than English, one that `interpret` reads or one without a word list."""
    return (interpret is not None and interpret(text) != text) or foreign(text)


def _counted(listed: Gloss, words: Sequence[str], foreign: Sequence[str]) -> tuple[int, int]:
    """How many words it has that English lacks, and how many that both have."""
    own = sum(listed.knows(word) for word in foreign)
    return own, sum(listed.knows(word) for word in words) - own


@cache
def languages() -> frozenset[str]:
    """Those with a word list."""
    return frozenset(
        entry.name.removesuffix(".txt") for entry in files("handrail.gloss").iterdir() if entry.name.endswith(".txt")
    )


@cache
def gloss(lang: str) -> Gloss:
    """Of one of `languages`; read once, in a tenth of a second."""
    text = (files("handrail.gloss") / f"{lang}.txt").read_text(encoding="utf-8")
    return Gloss(word_list(lang, text.splitlines()))
