"""Questions made of a knowledge base's own articles: titles, headings, steps, sentences, loose words; some misspelt."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import STOP, words
from handrail.text.markdown import plain, sentences
from handrail.types import Passage

ASKED = ("how do i {}", "how can I {}?", "{}", "I need help with {}", "where do I find {}?", "can i {}", "what is {}")
PURPOSE = re.compile(r"\bto ((?:[a-z]+ ){2,9}[a-z]+)")
MISSPELT = 0.15
SIDES = ("fit", "held_out", "choose", "fit", "fit", "held_out", "choose", "fit", "held_out", "fit")
"""Dealt out in turn, so that any first part of the questions has its share of each."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what answers it."""

    text: str
    articles: tuple[str, ...]
    """Articles that answer."""
    passage: str | None = None
    """The passage it was made of."""
    side: str = ""
    """`fit`, `choose` or `held_out`: what its article is used for."""


def made_of(snapshot: Snapshot, per_article: int) -> list[Asked]:
    """Up to `per_article` different questions per article, always the same ones for the same articles.

    In a random order of articles, so that any first part is a sample of all of them.
    """
    by_article: dict[str, list[Passage]] = {}
    for passage in snapshot.passages:
        by_article.setdefault(passage.article_id, []).append(passage)
    found = []
    for number, article in enumerate(sorted(by_article, key=shuffled)):
        rng = random.Random(article)  # noqa: S311
        chosen = rng.sample(by_article[article], min(per_article, len(by_article[article])))
        chosen += rng.choices(by_article[article], k=per_article - len(chosen))
        rows = {ask_of(passage, rng): passage for passage in chosen}
        found += [
            Asked(text, (article,), passage.id, SIDES[number % len(SIDES)])
            for text, passage in rows.items()
            if text.strip()
        ]
    return found


def shuffled(name: str) -> str:
    """Sorts names in an order that has nothing to do with them."""
    return hashlib.sha256(name.encode()).hexdigest()


def ask_of(passage: Passage, rng: random.Random) -> str:
    """One question-like text that `passage` may answer."""
    text = plain(passage.text)
    kind = rng.random()
    if kind < 0.2:
        made = rng.choice(ASKED).format(_lowered(": ".join((passage.title, *passage.headings[-1:]))))
    elif kind < 0.4 and (found := PURPOSE.findall(text)):
        made = rng.choice(ASKED[:3]).format(rng.choice(found))
    else:
        lines = [line for line in sentences(text) if 4 <= len(line.split()) <= 40] or [passage.title]
        made = _from_sentence(rng.choice(lines), rng)
    return misspell(made, rng) if rng.random() < MISSPELT else made


def _from_sentence(line: str, rng: random.Random) -> str:
    kind = rng.random()
    content = [word for word in words(line) if word not in STOP]
    if kind < 0.5 and len(content) > 3:
        kept = sorted(rng.sample(range(len(content)), rng.randint(3, min(7, len(content)))))
        return rng.choice(("{}", "{}?", "help with {}", "why {}")).format(" ".join(content[i] for i in kept))
    if kind < 0.75:
        return _lowered(line.rstrip(".!:")) + rng.choice(("", "?", " how"))
    return line


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def misspell(text: str, rng: random.Random) -> str:
    """Two neighbouring letters swapped, or one lost."""
    if len(text) < 6:
        return text
    at = rng.randrange(1, len(text) - 2)
    if rng.random() < 0.5:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + text[at + 1 :]


def on(rows: Sequence[Asked], *sides: str) -> list[Asked]:
    return [row for row in rows if row.side in sides]
