"""Whole sections as they are shown: pieces of an answer, or cards that look closest. Nothing is cut in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

from handrail.answer.gate import Bands
from handrail.answer.piece import piece_of, share_of, shown, words
from handrail.answer.planted import planted
from handrail.types import Candidate, Card, Claim, Evidence, Piece

QUOTED = "extractive"
"""The provider whose answers are the articles' own words."""
MOST = 3
"""Sections of one answer, and cards."""
ROOM = 260
"""Words that are shown at once before a further section is left out, or a card stays closed."""
ABOUT_AS_LIKELY = 0.25
"""Share of the best section's odds from which another one is shown beside it."""

_planted = lru_cache(maxsize=2_000)(planted)  # sections are shown again and again, and each takes milliseconds


class Pieces:
    """Makes claims and cards. `weights` say how rare each word of the articles is, `lang` how to stem it."""

    def __init__(self, bands: Bands, weights: Mapping[str, float], lang: str) -> None:
        self._bands = bands
        self._weights = weights
        self._lang = lang

    def claims(self, evidence: Evidence, *, several: bool = False) -> list[Claim]:
        """The section that answers, with those that answer about as likely while there is room for them.

        `several`: other answers stand beside it, so that each piece is headed by its title. Empty where nothing may be
        quoted.
        """
        leading = [(evidence.query, one) for one in self._leading(evidence.sections)]
        pieces = self._pieces(leading)
        headed = several or len(pieces) > 1
        return [
            Claim(
                piece.markdown,
                (piece.passage_id,),
                support="supported",
                heading=f"**{piece.heading}**" if headed else "",
                piece=piece,
            )
            for piece in pieces
        ]

    def cards(self, *found: Evidence) -> tuple[Card, ...]:
        """Up to three, the best one open, and the others as far as there is room.

        What was found for several requests takes turns.
        """
        ranks = zip_longest(*(self._worth_a_card(one) for one in sorted(found, key=lambda one: -one.probability)))
        close = [candidate for rank in ranks for candidate in rank if candidate is not None]
        cards: list[Card] = []
        room = ROOM
        for piece in self._pieces(close, bounded=False):
            size = words(shown(piece))
            cards.append(Card(piece, open=not cards or size <= room))
            room -= size
        return tuple(cards)

    def _worth_a_card(self, evidence: Evidence) -> list[tuple[str, Candidate]]:
        least = self._bands.least(evidence)
        return [(evidence.query, one) for one in evidence.sections if one.probability >= least]

    def _leading(self, sections: Sequence[Candidate]) -> list[Candidate]:
        """Those that answer about as likely as the best."""
        if not sections:
            return []
        odds = _odds(sections[0].probability) * ABOUT_AS_LIKELY
        return [one for one in sections if _odds(one.probability) >= odds]

    def _pieces(self, candidates: Sequence[tuple[str, Candidate]], *, bounded: bool = True) -> list[Piece]:
        """Of what was found for each query."""
        pieces: list[Piece] = []
        room = ROOM
        for query, candidate in candidates:
            piece = piece_of(candidate, share_of(query, self._weights, self._lang))
            size = words(shown(piece))
            if _planted(piece.markdown) or not piece.markdown or (bounded and pieces and size > room):
                continue
            if any(_holds(before, piece) or _holds(piece, before) for before in pieces):
                continue
            pieces.append(piece)
            room -= size
            if len(pieces) == MOST:
                break
        return pieces


def _holds(piece: Piece, other: Piece) -> bool:
    """Whether one is an introduction that is shown with the section it leads to, which is the other."""
    return piece.article_id == other.article_id and other.markdown in piece.markdown


def _odds(probability: float) -> float:
    return probability / max(1e-6, 1 - probability)
