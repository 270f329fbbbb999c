"""What a visitor reads of a response without opening anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from handrail.text.markdown import LINK

Response = Mapping[str, Any]

MARKS = re.compile(r"\[\d{1,3}\]|\*\*|[`_]")
CITED = re.compile(r"\s*\[\d{1,3}\]")


def shown(response: Response) -> str:
    """Disclaimer, notice, answer up to its folds, what closed cards are headed, and the titles of sources.

    Suggestions and the passages of the sources accordion are not part of it.
    """
    parts = [response.get("disclaimer"), response.get("notice"), _unfolded(response)]
    for card in closest(response):
        parts += [card.get("title"), card.get("section"), _open(card, response)]
    parts += [source.get("title") for source in response.get("sources") or ()]
    return "\n\n".join(str(part).strip() for part in parts if part)


def plain(text: str) -> str:
    """The same words without marks: emphasis, code, targets of links, citations; spaces and line ends are one space."""
    return " ".join(MARKS.sub("", LINK.sub(r"\1", text)).split())


def closest(response: Response) -> Sequence[Mapping[str, Any]]:
    """The cards of sections that look closest."""
    return [card for card in response.get("closest") or () if isinstance(card, Mapping)]


def pieces(response: Response) -> Sequence[Mapping[str, Any]]:
    return [piece for piece in response.get("pieces") or () if isinstance(piece, Mapping)]


def piece_of(card: Mapping[str, Any], response: Response) -> Mapping[str, Any] | None:
    """A card's section, which it holds itself or names by its place among the pieces."""
    piece = card.get("piece")
    if isinstance(piece, Mapping):
        return piece
    held = pieces(response)
    return held[piece] if isinstance(piece, int) and 0 <= piece < len(held) else None


def _open(card: Mapping[str, Any], response: Response) -> str | None:
    piece = piece_of(card, response) if card.get("open") else None
    return _visible(piece) if piece is not None else None


def _visible(piece: Mapping[str, Any]) -> str:
    text, fold = str(piece.get("markdown") or ""), piece.get("collapsed_after")
    return text if fold is None else text[: int(fold)]


def _unfolded(response: Response) -> str:
    """The answer without what its pieces fold away.

    The answer may carry citation marks that the pieces do not: lines are compared without them.
    """
    lines = str(response.get("answer") or "").splitlines()
    for piece in pieces(response):
        hidden = str(piece.get("markdown") or "")[len(_visible(piece)) :]
        lines = _without(lines, [line for line in map(_bare, hidden.splitlines()) if line])
    return "\n".join(lines)


def _without(lines: list[str], hidden: Sequence[str]) -> list[str]:
    """`lines` up to where the first hidden one begins, and after the last: each is looked for behind the one before."""
    kept, at = list(lines), 0
    for text in hidden:
        for place in range(at, len(kept)):
            line = _bare(kept[place])
            if line == text:
                del kept[place]
            elif line.endswith(text):  # the fold is inside the line
                kept[place] = line.removesuffix(text)
                place += 1
            else:
                continue
            at = place
            break
    return kept


def _bare(line: str) -> str:
    return CITED.sub("", line).strip()
