"""A section as it is shown: which sentence answers, and where a long one is folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from handrail.answer.citations import unmarked
from handrail.stores.tokens import coverage
from handrail.text.markdown import sentences
from handrail.types import Candidate, Piece

IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)[ \t]*\n?")
STEP = re.compile(r"(?m)^\d+[.)]\s")
LINE = re.compile(r"[^\n]+")
FENCE = re.compile(r"^\s*(?:```|~~~)")
MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)]|>|#{1,6})\s+")
LONG, SHOWN = 240, 160
"""Words from which a section is folded, and about how many are shown of it."""

Share = Callable[[str], float]
"""How much of the question a text says, in [0, 1]."""


def share_of(query: str, weights: Mapping[str, float], lang: str) -> Share:
    rarest = max(weights.values(), default=1.0)
    return lambda text: coverage(query, text, weights, rarest, lang)


def piece_of(candidate: Candidate, share: Share) -> Piece:
    """All of the section, without its pictures: their descriptions are not prose."""
    section = candidate.section
    markdown = unmarked(IMAGE.sub("", f"{section.text}\n\n{section.leads_to}")).strip()
    answering = _answering(markdown, section.path, share)
    steps = len(STEP.findall(markdown))
    return Piece(
        markdown=markdown,
        title=section.title,
        section=" › ".join(section.headings),
        passage_id=candidate.cited,
        article_id=section.article_id,
        url=section.url,
        answering=answering,
        collapsed_after=_fold(markdown, answering[1] if answering else 0),
        steps=steps if steps > 1 else 0,
    )


def words(text: str) -> int:
    return len(text.split())


def shown(piece: Piece) -> str:
    """What is seen of a piece before anything is opened."""
    return piece.markdown if piece.collapsed_after is None else piece.markdown[: piece.collapsed_after]


def _answering(markdown: str, path: str, share: Share) -> tuple[int, int] | None:
    """The sentence that adds most of the question to what the headings say; None in steps, code and tables, which
    answer as a whole."""
    headed = share(path)
    best, place = headed, None
    fenced = False
    for line in LINE.finditer(markdown):
        fenced ^= bool(FENCE.match(line[0]))
        if fenced or line[0].lstrip().startswith(("|", "```", "~~~")) or STEP.match(line[0]):
            continue
        start = line.start() + (len(marker[0]) if (marker := MARKER.match(line[0])) else 0)
        for sentence in sentences(markdown[start : line.end()]):
            at = markdown.find(sentence, start, line.end())
            said = share(f"{path}\n{sentence}")
            if at >= 0 and said > best:
                best, place = said, (at, at + len(sentence))
    return place


def _fold(markdown: str, least: int) -> int | None:
    """Behind the line with which about `SHOWN` words are said, and not before `least`; None where all is shown."""
    if words(markdown) <= LONG:
        return None
    said, fenced = 0, False
    for line in LINE.finditer(markdown):
        fenced ^= bool(FENCE.match(line[0]))
        said += words(line[0])
        if said >= SHOWN and line.end() >= least and not fenced:
            return line.end() if words(markdown[line.end() :]) > LONG - SHOWN else None
    return None
