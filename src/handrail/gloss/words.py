"""What the words of a language are in English: as they are listed, by their stems, or in the parts of a compound."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import Stemmer

from handrail.gloss import arabic

WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
GAP = "…"
WIDEST_GAP = 6
"""Words that may stand between the parts of a separated verb."""
COMPOUND = frozenset({"da", "de", "nl", "sv"})
JOINTS = ("", "s", "es", "n", "en", "e")
"""What may stand between the parts of a compound."""
SHORTEST_PART = 3
MOST_PARTS = 4
LONGEST = 40
"""Letters of a compound; longer ones are mash."""
SNOWBALL = {
    "da": "danish", "de": "german", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch",
    "pt": "portuguese", "ru": "russian", "sv": "swedish",
}  # fmt: skip
SPELT = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "æ": "ae"})
"""Letters that are no accented ones."""
TYPED = {"de": (("([aou])e", r"\1"),), "da": (("aa", "a"), ("oe", "o"))}
"""How letters that a keyboard lacks are typed, and what they stand for here."""
BARE = 3
"""Letters of a stem where Snowball has no stemmer, at least; endings of up to two are then taken off."""
WORDS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Phrase:
    """Several words, with a gap behind the first `before` of them where they may be apart."""

    words: tuple[str, ...]
    before: int
    meant: str


@dataclass(slots=True)
class WordList:
    """What is listed for one language; keys are `bare` words."""

    lang: str
    single: dict[str, str] = field(default_factory=dict)
    accented: dict[str, str] = field(default_factory=dict)
    """The same as they are spelt: `público` is no `publico`."""
    stems: dict[str, str] = field(default_factory=dict)
    phrases: dict[str, list[Phrase]] = field(default_factory=dict)
    """By their first word, the longest first."""

    def add(self, form: str, meant: str) -> None:
        left, gap, right = self.cleaned(form).partition(GAP)
        before, after = (WORD.findall(side.lower()) for side in (left, right))
        words = tuple(self.bare(word) for word in (*before, *after))
        if len(words) == 1:
            self.accented.setdefault(before[0], meant)
            self.single.setdefault(words[0], meant)
            for stem in self.stemmed(before[0]):
                self.stems.setdefault(stem, meant)
        elif words:
            self.phrases.setdefault(words[0], []).append(Phrase(words, len(before) if gap else len(words), meant))

    def cleaned(self, text: str) -> str:
        """With words and signs that can be told apart."""
        return arabic.cleaned(text) if self.lang == "ar" else text

    def bare(self, word: str) -> str:
        """Without accents, and German and Danish letters however they are typed."""
        if self.lang == "ar":
            return arabic.folded(word)
        letters = unicodedata.normalize("NFKD", word.lower().translate(SPELT))
        plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
        for typed, meant in TYPED.get(self.lang, ()):
            plain = re.sub(typed, meant, plain)
        return plain

    def stemmed(self, word: str) -> Iterator[str]:
        if self.lang == "ar":
            return
        if self.lang not in SNOWBALL:
            plain = self.bare(word)
            yield from (plain[:-end] if end else plain for end in range(3) if len(plain) - end > BARE)
            return
        stemmer = _stemmer(SNOWBALL[self.lang])
        yield self.bare(stemmer.stemWord(word.lower()))
        yield stemmer.stemWord(self.bare(word))


class Gloss:
    """Reads messages of one language."""

    def __init__(self, listed: WordList) -> None:
        self._listed = listed
        self._one = lru_cache(maxsize=WORDS_KEPT)(self._looked_up)

    def read(self, text: str) -> str:
        """`text` word by word; what is listed in no form stays: names and codes are the same in any language."""
        text = self._listed.cleaned(text)
        typed = list(WORD.finditer(text))
        bare = [self._listed.bare(match[0]) for match in typed]
        meant: list[str | None] = [None] * len(typed)
        at = 0
        while at < len(typed):
            if meant[at] is None:
                for phrase, places in self._phrases(bare, meant, at):
                    meant[at] = phrase.meant
                    for place in places[1:]:
                        meant[place] = ""
                    break
                else:
                    found = self._one(typed[at][0].lower())
                    meant[at] = typed[at][0] if found is None else found
            at += 1
        return _joined(text, typed, [word or "" for word in meant])

    def knows(self, word: str) -> bool:
        """Whether it is listed in some form."""
        return self._one(word.lower()) is not None

    def _phrases(
        self, bare: Sequence[str], meant: Sequence[str | None], at: int
    ) -> Iterator[tuple[Phrase, Sequence[int]]]:
        for phrase in self._begun(bare[at]):
            first = range(at, at + phrase.before)
            if tuple(bare[at + 1 : first.stop]) != phrase.words[1 : phrase.before]:
                continue
            rest = phrase.words[phrase.before :]
            starts = (
                range(first.stop, min(first.stop + WIDEST_GAP, len(bare) - len(rest)) + 1) if rest else (first.stop,)
            )
            for start in starts:
                second = range(start, start + len(rest))
                places = [*first, *second]
                if tuple(bare[place] for place in second) == rest and all(meant[place] is None for place in places):
                    yield phrase, places
                    break

    def _begun(self, word: str) -> Iterator[Phrase]:
        """Those that begin with it; in Arabic, "and" is a letter before it."""
        yield from self._listed.phrases.get(word, ())
        if self._listed.lang == "ar" and word.startswith(arabic.AND):
            yield from self._listed.phrases.get(word[1:], ())

    def _looked_up(self, word: str) -> str | None:
        """What a word means; None where it is not listed in any form."""
        listed = self._listed
        if (found := listed.accented.get(word)) is not None:
            return found
        if (found := self._plain(word)) is not None or listed.lang not in COMPOUND:
            return found
        parts = self._parts(listed.bare(word).replace("-", ""), MOST_PARTS) if len(word) <= LONGEST else ()
        return " ".join(part for part in parts if part) if parts else None

    def _plain(self, word: str) -> str | None:
        listed = self._listed
        bare = listed.bare(word)
        for form in (bare, bare.replace("-", "")):
            if form in listed.single:
                return listed.single[form]
        if listed.lang == "ar":
            return self._arabic(bare)
        return next((listed.stems[stem] for stem in listed.stemmed(word) if stem in listed.stems), None)

    def _arabic(self, bare: str) -> str | None:
        single = self._listed.single
        found = next((single[form] for form in arabic.shorter(bare) if form in single), None)
        inner = arabic.negated(bare) if found is None else None
        if inner is None:
            return found
        meant = next((single[form] for form in (inner, *arabic.shorter(inner)) if form in single), None)
        return f"not {meant}" if meant is not None else None

    def _parts(self, word: str, most: int) -> Sequence[str]:
        """The fewest listed words that `word` is made of, the last one as long as can be; none where it is not."""
        for start in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1) if most > 1 else ():
            last = self._plain(word[start:])
            if last is None:
                continue
            for joint in JOINTS:
                if not word[:start].endswith(joint) or start - len(joint) < SHORTEST_PART:
                    continue
                first = word[: start - len(joint)]
                whole = self._plain(first)
                before = (whole,) if whole is not None else self._parts(first, most - 1)
                if before:
                    return (*before, last)
        return ()


def _joined(text: str, typed: Sequence[re.Match[str]], meant: Sequence[str]) -> str:
    """The words in their places, with the punctuation that ends a sentence or parts it."""
    out: list[str] = []
    for place, match in enumerate(typed):
        end = typed[place + 1].start() if place + 1 < len(typed) else len(text)
        signs = "".join(sign for sign in text[match.end() : end] if sign in ".,;:!?")
        out += [f"{meant[place]}{signs}"] if meant[place] else ([f"{out.pop()}{signs}"] if out and signs else [])
    return " ".join(out)


def word_list(lang: str, lines: Iterable[str]) -> WordList:
    """Of lines `form, form > meaning`; a form that is listed twice keeps its first meaning."""
    listed = WordList(lang)
    for line in lines:
        forms, sign, meant = line.partition(">")
        if sign and not line.startswith("#"):
            for form in forms.split(","):
                if form.strip():
                    listed.add(form.strip(), meant.strip())
    for phrases in listed.phrases.values():
        phrases.sort(key=lambda phrase: -len(phrase.words))
    return listed


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)
