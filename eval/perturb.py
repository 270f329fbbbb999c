"""Claims made from sentences of articles, true and false: weak supervision as in FactCC (Kryściński et al. 2020).

A true claim says what its sentence says in other words: shorter, reordered, with synonyms or other number formats. A
false one has one thing changed first: a number, a name, a polarity, a duty, an extent, a condition, an order.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handrail.generate.verify import lexicon
from handrail.generate.verify.features import content, names
from handrail.generate.verify.lexicon import SAME, opposed, rivals
from handrail.generate.verify.negation import count, is_negator
from handrail.generate.verify.text import sentences, stem, tokens

NUMBER = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*(?![\w-])")
SPELLED = dict(
    zip(
        ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "12"],
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"],
        strict=True,
    )
)
FORMATS = {"7 days": "a week", "14 days": "two weeks", "24 hours": "one day", "48 hours": "two days", "%": " percent"}
FORMATS |= {"12 months": "one year", "60 minutes": "an hour", "30 minutes": "half an hour", "72 hours": "three days"}
CONTRACTIONS = {"cannot": "can't", "can not": "can't", "do not": "don't", "does not": "doesn't", "is not": "isn't"}
CONTRACTIONS |= {"are not": "aren't", "will not": "won't", "you will": "you'll", "you have": "you've"}
DUTY = ((r"\bmust\b", "have to"), (r"\bneed to\b", "must"), (r"\brequired\b", "needed"), (r"\bmay\b", "can"))
CONDITION = re.compile(r"^(?:If|When|Unless|Once|On|With|For) ([^,]{8,90}), (.+?)\.?$")
TRAILING = re.compile(r"^(.{15,}?),? (?:if|unless|only if|when|once|until|except|as long as) ([^,]{6,90}?)\.?$")
MODAL_SWAPS = ((r"\bcan\b", "must"), (r"\bmust\b", "can"), (r"\bmay\b", "must"), (r"\bshould\b", "must"))
EXTENT_SWAPS = (
    (r"\bat least\b", "at most"), (r"\bup to\b", "at least"), (r"\bat most\b", "at least"), (r"\bsome\b", "all"),
    (r"\bmore than\b", "less than"), (r"\bevery\b", "no"), (r"\ball\b", "no"), (r"\bbefore\b", "after"),
    (r"\bafter\b", "before"), (r"\busually\b", "always"), (r"\bonly\b ", ""), (r"\bmaximum\b", "minimum"),
)  # fmt: skip
GROUPS = [line.split() for line in SAME.strip().splitlines()]


@dataclass(frozen=True, slots=True)
class Made:
    claim: str
    passage: str
    supported: bool
    kind: str


class Perturber:
    """`passages` are plain texts of a few sentences each; the same seed makes the same claims."""

    def __init__(self, passages: Sequence[str], seed: int) -> None:
        self._passages = passages
        self._random = random.Random(seed)  # noqa: S311
        self._names = sorted({name.text for text in passages for name in names(tokens(text)) if len(name.text) > 2})
        self._words = sorted(
            {t.text for text in passages for t in tokens(text) if t.text.islower() and len(t.text) > 3}
        )

    def claims(self, per_passage: int) -> list[Made]:
        """About half of them supported."""
        found: list[Made] = []
        for index, passage in enumerate(self._passages):
            whole = [passage[s.start : s.end] for s in sentences(passage) if 6 <= len(s.tokens) <= 34]
            for _ in range(per_passage if whole else 0):
                source = self._random.choice(whole)
                if self._random.random() < 0.5:
                    found.append(Made(self._reworded(source, whole), passage, True, "true"))
                elif made := self._false(source, passage, index):
                    found.append(made)
        return [made for made in found if len(made.claim.split()) > 2]

    def _false(self, source: str, passage: str, index: int) -> Made | None:
        for kind, way in self._mixed():
            changed = way(source, passage, index)
            if changed and changed.lower() != source.lower():
                again = self._reworded(changed, []) if self._random.random() < 0.6 else changed
                return Made(again, passage, False, kind)
        return None

    def _mixed(self) -> list[tuple[str, Callable[[str, str, int], str | None]]]:
        """Ways that few sentences allow come first, mostly: else nearly every lie is an exchanged word."""
        ways = self._shuffled(self._ways())
        rare = ("number", "condition", "modality", "extent", "negation")
        return sorted(ways, key=lambda way: way[0] not in rare) if self._random.random() < 0.55 else ways

    def _ways(self) -> list[tuple[str, Callable[[str, str, int], str | None]]]:
        return [
            ("number", self._number),
            ("number", self._number),
            ("negation", self._negation),
            ("negation", self._negation),
            ("antonym", self._antonym),
            ("antonym", self._antonym),
            ("modality", lambda text, *_: self._swapped(text, MODAL_SWAPS)),
            ("extent", lambda text, *_: self._swapped(text, EXTENT_SWAPS)),
            ("name", self._name),
            ("name", self._name),
            ("rival", self._rival),
            ("rival", self._rival),
            ("condition", self._condition),
            ("extra", self._extra),
            ("elsewhere", self._elsewhere),
            ("elsewhere", self._elsewhere),
        ]

    def _number(self, text: str, *_: object) -> str | None:
        found = list(NUMBER.finditer(text))
        if not found:
            return None
        match = self._random.choice(found)
        value = match[0]
        others = [n for n in ("2", "3", "5", "7", "10", "14", "20", "30", "60", "100", "500") if n != value]
        return text[: match.start()] + self._random.choice(others) + text[match.end() :]

    def _negation(self, text: str, *_: object) -> str | None:
        words = tokens(text)
        if count(words):
            for old, new in (
                ("cannot", "can"),
                ("can't", "can"),
                (" not", ""),
                ("don't ", ""),
                ("doesn't ", ""),
                ("Never ", ""),
                ("never", "always"),
                (" no ", " a "),
                ("without", "with"),
                ("won't", "will"),
            ):
                if old in text:
                    return text.replace(old, new, 1)
            return None
        for old, new in (
            (" can ", " cannot "),
            (" is ", " is not "),
            (" are ", " are not "),
            (" will ", " will not "),
            (" must ", " do not need to "),
            (" has ", " has no "),
            (" have ", " don't have "),
            (" with ", " without "),
            (" may ", " may not "),
            (" always ", " never "),
        ):
            if old in text:
                return text.replace(old, new, 1)
        return (
            "Don't " + text[0].lower() + text[1:]
            if words[0].lower in ("click", "select", "choose", "open", "add")
            else None
        )

    def _antonym(self, text: str, *_: object) -> str | None:
        for word in self._shuffled(tokens(text)):
            known = lexicon._opposites().get(word.stem)
            options = [other for other in sorted(known or ()) if other in self._vocabulary()]
            if options:
                other = self._vocabulary()[self._random.choice(options)]
                return text[: word.start] + other + text[word.end :]
        return None

    def _vocabulary(self) -> dict[str, str]:
        return {stem(word): word for word in self._words}

    def _swapped(self, text: str, swaps: Sequence[tuple[str, str]]) -> str | None:
        for pattern, new in self._shuffled(swaps):
            if re.search(pattern, text):
                return re.sub(pattern, new, text, count=1)
        return None

    def _name(self, text: str, passage: str, _: int) -> str | None:
        mine = names(tokens(text))
        if not mine:
            return None
        old = self._random.choice(mine)
        here = [name.text for name in names(tokens(passage)) if name.text not in text]
        new = self._random.choice(here if here and self._random.random() < 0.5 else self._names)
        return text[: old.start] + new + text[old.end :] if new != old.text else None

    def _rival(self, text: str, passage: str, _: int) -> str | None:
        """A word for another: of its kind, of the passage, or any."""
        words = tokens(text)
        places = [i for i in content(words) if words[i].text.islower() and len(words[i].text) > 3]
        if not places:
            return None
        old = words[self._random.choice(places)]
        near = [t.text for t in tokens(passage) if t.text.islower() and len(t.text) > 4 and t.text not in text]
        alike = [
            word
            for word in self._random.sample(self._words, min(400, len(self._words)))
            if rivals(old.stem, stem(word))
        ]
        pool = self._random.choice([alike, near, self._words]) or self._words
        return text[: old.start] + self._random.choice(pool) + text[old.end :]

    def _condition(self, text: str, *_: object) -> str | None:
        if match := CONDITION.match(text):
            return match[2][0].upper() + match[2][1:] + self._random.choice([".", " in any case.", " every time."])
        if match := TRAILING.match(text):
            return match[1] + self._random.choice([".", " in any case."])
        return None

    def _extra(self, text: str, _: str, index: int) -> str | None:
        other = self._elsewhere(text, "", index)
        if other is None:
            return None
        words = other.rstrip(".").split()
        return (
            text.rstrip(".")
            + ", and "
            + words[0].lower()
            + " "
            + " ".join(words[1 : self._random.randint(5, 12)])
            + "."
        )

    def _elsewhere(self, _: str, __: str, index: int) -> str | None:
        """A sentence of a near passage, mostly of the same article, or of any."""
        near = self._random.random() < 0.6
        other = index + self._random.choice([-2, -1, 1, 2]) if near else self._random.randrange(len(self._passages))
        if not 0 <= other < len(self._passages) or other == index:
            return None
        text = self._passages[other]
        whole = [text[s.start : s.end] for s in sentences(text) if 6 <= len(s.tokens) <= 30]
        chosen = self._random.choice(whole) if whole else None
        return chosen if chosen and chosen not in self._passages[index] else None

    def _reworded(self, text: str, whole: Sequence[str]) -> str:
        """The same said otherwise: one to four of the ways below."""
        out = text.rstrip(".")
        ways = [
            self._formats,
            self._synonyms,
            self._reordered,
            self._shorter,
            self._voice,
            self._unknown,
            self._unknown,
        ]
        for way in self._random.sample(ways, self._random.randint(1, 4)):
            out = way(out)
        if whole and self._random.random() < 0.15:
            other = self._random.choice(whole).rstrip(".")
            if other != text.rstrip("."):
                out = f"{out}, and {other[0].lower()}{other[1:]}"
        return out[:1].upper() + out[1:] + self._random.choice([".", ".", "", "!"])

    def _formats(self, text: str) -> str:
        for old, new in (*FORMATS.items(), *CONTRACTIONS.items()):
            text = text.replace(old, new)
        for pattern, new in DUTY:
            text = re.sub(pattern, new, text)
        if self._random.random() < 0.5:
            text = NUMBER.sub(lambda m: SPELLED.get(m[0], m[0]), text)
        return text

    def _synonyms(self, text: str) -> str:
        for word in self._shuffled(tokens(text))[:4]:
            groups = [group for group in GROUPS if word.lower in group]
            if groups and word.text.islower():
                other = self._random.choice(self._random.choice(groups))
                text = re.sub(rf"\b{re.escape(word.text)}\b", other, text, count=1)
        return text

    def _unknown(self, text: str) -> str:
        """Paraphrase the lists know nothing of: a plain word becomes one of another form, or is left unsaid."""
        words = [t for t in tokens(text) if t.text.islower() and len(t.text) > 4 and not is_negator(t.lower)]
        for word in self._random.sample(words, min(len(words), self._random.randint(1, 2))):
            if any(opposed(word.stem, t.stem) for t in tokens(text)):
                continue
            other = self._random.choice(["", "take care of", "bring about", "handle", "matter", "go for", "concerned"])
            text = re.sub(rf"\b{re.escape(word.text)}\b ?", other + " " if other else "", text, count=1)
        return text

    def _reordered(self, text: str) -> str:
        if match := re.match(r"^((?:If|When|Once|To|Before|After|On|In) [^,]{6,90}), (.+)$", text):
            return f"{match[2]} {match[1][0].lower()}{match[1][1:]}"
        if match := re.match(r"^(.{12,}?),? ((?:if|when|once|unless|before|after) [^,]{6,90})$", text):
            return f"{match[2]}, {match[1][0].lower()}{match[1][1:]}"
        return text

    def _shorter(self, text: str) -> str:
        text = re.sub(r"\([^)]*\)|\b(?:also|then|simply|just|please|automatically|currently)\b ?", "", text)
        return re.sub(r"\b(?:the|a|an|your|this)\b ", "", text) if self._random.random() < 0.3 else text

    def _voice(self, text: str) -> str:
        first = text.split(" ", 1)[0]
        if first in ("Click", "Choose", "Select", "Open", "Add", "Use", "Go", "Enter", "Turn", "Set", "Check"):
            return (
                self._random.choice(["You need to ", "You should ", "Just ", "You'll want to "])
                + text[0].lower()
                + text[1:]
            )
        swaps = [("You can ", "It's possible to "), ("You can ", "Users may "), ("we ", "the team "), ("You ", "One ")]
        for old, new in self._shuffled(swaps):
            if old in text:
                return text.replace(old, new, 1)
        return text

    def _shuffled(self, items: Sequence[object]) -> list:  # type: ignore[type-arg]
        mixed = list(items)
        self._random.shuffle(mixed)
        return mixed
