"""Articles that state different figures for the same thing.

Two sentences are compared where each is the other's nearest of all sentences with a figure in other articles. They are
in conflict where each of them, with the other's figure in place of its own, is what the other's passage says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from handrail.text.markdown import plain
from handrail.text.words import sentences, tokens
from handrail.types import Claim, Draft, Evidence, Hit, Passage, Question, Vectors
from handrail.types.evidence import heading_of
from handrail.verify import Verifier
from handrail.verify.numbers import Quantity, quantities

Embed = Callable[[Sequence[str]], Vectors]
MOST_STATEMENTS = 5000
"""Sentences that are compared: those of the passages that are most like one of another article."""
SHORTEST = 4
"""Words of a sentence that says what its figure is of."""
BLOCK = 512


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with figures, and the passage it stands in."""

    passage: Passage
    text: str
    figures: tuple[Quantity, ...]
    """Those with a unit."""

    @property
    def in_context(self) -> str:
        return f"{heading_of(self.passage.title, self.passage.headings)}\n{self.text}"

    def figure(self, unit: str) -> Quantity | None:
        """Its only one of the unit; None for a row of prices, say."""
        found = [one for one in self.figures if one.unit == unit]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Conflict:
    first: Statement
    second: Statement
    likeness: float
    """Of the two sentences, alone and in context: the product of both cosines."""


async def conflicts(
    passages: Sequence[Passage], vectors: Vectors, embed: Embed, verifier: Verifier, *, least: float, limit: int
) -> list[Conflict]:
    """Up to `limit`, those that are most alike first. `vectors` are the passages'.

    `least`: the score from which a sentence is what a passage says.
    """
    said = _statements(passages, vectors)
    if not said:
        return []
    found: list[Conflict] = []
    for pair in sorted(_nearest(said, embed), key=lambda one: -one.likeness):
        if len(found) == limit:
            break
        if await in_conflict(pair.first, pair.second, verifier, least):
            found.append(pair)
    return found


async def in_conflict(one: Statement, other: Statement, verifier: Verifier, least: float) -> bool:
    """Whether each, with the other's figure in place of its own, is what the other's passage says."""
    swapped = _swapped(one, other)
    return bool(swapped) and all([await _score(verifier, *claim) >= least for claim in swapped])


def _statements(passages: Sequence[Passage], vectors: Vectors) -> list[Statement]:
    stated = [(row, list(sentences_with_figures(one))) for row, one in enumerate(passages)]
    stated = [(row, said) for row, said in stated if said]
    best = _best(vectors[[row for row, _ in stated]], [passages[row].article_id for row, _ in stated])
    ranked = sorted(zip(stated, best, strict=True), key=lambda both: -both[1][1])
    return [one for (_, said), _ in ranked for one in said][:MOST_STATEMENTS]


def sentences_with_figures(passage: Passage) -> Iterator[Statement]:
    """Its sentences with a figure that has a unit."""
    for sentence in sentences(passage.text):
        text = " ".join(plain(passage.text[sentence.start : sentence.end]).split())
        figures = tuple(one for one in quantities(tokens(text)) if one.unit)
        if figures and len(sentence.tokens) >= SHORTEST:
            yield Statement(passage, text, figures)


def _nearest(said: Sequence[Statement], embed: Embed) -> Iterator[Conflict]:
    """Pairs of which each is the other's nearest, and whose figures differ."""
    alone, context = embed([one.text for one in said]), embed([one.in_context for one in said])
    best = _best(alone, [one.passage.article_id for one in said], context)
    for row, (other, likeness) in enumerate(best):
        if row < other and best[other][0] == row and likeness > 0:
            yield Conflict(said[row], said[other], likeness)


def _best(vectors: Vectors, owners: Sequence[str], beside: Vectors | None = None) -> list[tuple[int, float]]:
    """For each row, the most alike of another owner; cosines of `beside` are multiplied with those of `vectors`."""
    numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
    owner = np.asarray([numbers[one] for one in owners])
    found: list[tuple[int, float]] = []
    for start in range(0, len(owners), BLOCK):
        rows = slice(start, start + BLOCK)
        likeness = vectors[rows] @ vectors.T
        if beside is not None:
            likeness = likeness * (beside[rows] @ beside.T)
        likeness[owner[rows, None] == owner[None, :]] = -1.0
        best = likeness.argmax(axis=1)
        found += [(int(column), float(row[column])) for row, column in zip(likeness, best, strict=True)]
    return found


def _swapped(one: Statement, other: Statement) -> list[tuple[str, Passage]]:
    """Each with the figure of the other, and the other's passage; empty where they do not differ in just one figure."""
    here, there = quantities(tokens(one.passage.text)), quantities(tokens(other.passage.text))
    for unit in dict.fromkeys(figure.unit for figure in one.figures):
        mine, theirs = one.figure(unit), other.figure(unit)
        if mine is None or theirs is None or any(mine.equals(known) for known in there):
            continue
        if not any(theirs.equals(known) for known in here):
            return [
                (_with(one, mine, _written(other, theirs)), other.passage),
                (_with(other, theirs, _written(one, mine)), one.passage),
            ]
    return []


def _written(said: Statement, figure: Quantity) -> str:
    return said.text[figure.start : figure.end]


def _with(said: Statement, figure: Quantity, written: str) -> str:
    return f"{said.text[: figure.start]}{written}{said.text[figure.end :]}"


async def _score(verifier: Verifier, text: str, passage: Passage) -> float:
    draft = Draft([Claim(text, (passage.id,))], "conflicts")
    verified = await verifier.verify(Question(text, "conflicts", "conflicts"), draft, Evidence(text, [Hit(passage)]))
    return verified.draft.claims[0].score or 0.0
