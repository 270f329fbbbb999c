"""Which questions an article might answer, made of its title and headings, and which articles lie next to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handrail.answer.suggest.phrasing import asked
from handrail.stores.snapshot import Snapshot
from handrail.stores.tokens import tokenize
from handrail.text.markdown import parse

ALIKE = 0.6
"""Share of words from which two questions ask the same."""


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    title: bool = False


def candidates(snapshot: Snapshot, article: str, most: int) -> list[Candidate]:
    """At most `most` questions in reading order, that of the title first."""
    own = [snapshot.passages[row] for row in snapshot.rows.get(article, ())]
    found: list[Candidate] = []
    whole = asked(snapshot.titles[article], snapshot.lang, title=True) if own else None
    if whole:
        found.append(Candidate(whole, title=True))
    headings: dict[str, None] = {}
    for passage in own:
        headings.update(dict.fromkeys(passage.headings[-1:]))
        headings.update(dict.fromkeys(block.headings[-1] for block in parse(passage.text) if block.headings))
    for heading in headings:
        if len(found) >= most:
            break
        text = asked(heading, snapshot.lang)
        if text and not any(alike(text, other.text) for other in found):
            found.append(Candidate(text))
    return found[:most]


def neighbours(snapshot: Snapshot, article: str, most: int) -> list[str]:
    """Articles nearest to this one, nearest first."""
    row = snapshot.article_row.get(article)
    if row is None:
        return []
    order = np.argsort(-(snapshot.article_vectors @ snapshot.article_vectors[row]), kind="stable")
    return [snapshot.articles[i] for i in order if i != row][:most]


def alike(one: str, other: str) -> bool:
    """Whether two questions ask the same, as far as their words say."""
    first, second = set(tokenize(one)), set(tokenize(other))
    return one.casefold() == other.casefold() or (
        bool(first and second) and len(first & second) / min(len(first), len(second)) > ALIKE
    )
