"""What an answer says, claim by claim, and whether the passages it cites state it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.metrics.grounding import stated
from eval.metrics.text import plain, statements
from handrail.types import Outcome, Passage, Piece, Routing

SUPPORTED, UNSUPPORTED = "supported", "unsupported"
MARKS = re.compile(r"((?:[ \t]*\[\d{1,3}\](?!\())+)[.!?:]?")
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    passages: tuple[Passage, ...]
    """Those it cites."""
    support: Mapping[str, bool]
    """By passage id: the product's own verdict where it has one, else the words'."""

    @property
    def supported(self) -> bool:
        return any(self.support.values())


@dataclass(frozen=True, slots=True)
class Pair:
    claim: Said
    passage: Passage

    @property
    def supported(self) -> bool:
        return self.claim.support[self.passage.id]


def said(outcome: Outcome) -> list[Said]:
    """Nothing of a refusal. Fixed words around a high-stakes reply are no claims."""
    if outcome.refused:
        return []
    cited = {citation.passage.id: citation.passage for citation in outcome.citations}
    if outcome.claims:
        return [
            _said(
                claim.text,
                [cited[id_] for id_ in dict.fromkeys(claim.passage_ids) if id_ in cited],
                {proof.passage_id: proof.support == SUPPORTED for proof in claim.proofs}
                or (dict.fromkeys(claim.passage_ids, claim.support == SUPPORTED) if _decided(claim.support) else {}),
            )
            for claim in outcome.claims
        ]
    if outcome.closest:
        return [_section(card.piece, cited) for card in outcome.closest if card.open]
    by_index = {citation.index: citation.passage for citation in outcome.citations}
    verdicts = {
        citation.passage.id: citation.support == SUPPORTED
        for citation in outcome.citations
        if _decided(citation.support)
    }
    found = [
        _said(text, [by_index[index] for index in indexes if index in by_index], verdicts)
        for text, indexes in marked(outcome.answer)
    ]
    return [claim for claim in found if claim.passages] if outcome.routing is Routing.HIGH_STAKES else found


def _section(piece: Piece, cited: Mapping[str, Passage]) -> Said:
    """A card shows the article's own words."""
    passages = (cited[piece.passage_id],) if piece.passage_id in cited else ()
    return Said(piece.markdown, passages, {passage.id: True for passage in passages})


def pairs(claims: Sequence[Said]) -> list[Pair]:
    return [Pair(claim, passage) for claim in claims for passage in claim.passages]


def marked(answer: str) -> list[tuple[str, list[int]]]:
    """An answer cut behind its citation marks; what follows the last one is cited by nothing."""
    parts: list[tuple[str, list[int]]] = []
    start = 0
    for mark in MARKS.finditer(answer):
        text = answer[start : mark.start()].strip()
        if text:
            parts.append((text, [int(number) for number in NUMBER.findall(mark[1])]))
        start = mark.end()
    rest = answer[start:].strip()
    return parts + ([(rest, [])] if statements(rest) else [])


def _said(text: str, passages: Sequence[Passage], verdicts: Mapping[str, bool]) -> Said:
    support = {
        passage.id: verdicts.get(passage.id, stated(plain(text), f"{passage.title}\n{passage.text}"))
        for passage in passages
    }
    return Said(text, tuple(passages), support)


def _decided(support: str) -> bool:
    return support in (SUPPORTED, UNSUPPORTED)
