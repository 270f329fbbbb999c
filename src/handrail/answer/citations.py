"""Citations enforced in code: what may be cited, and how a draft becomes text with `[n]` markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handrail.errors import NotGrounded
from handrail.types import Citation, Claim, Draft, Evidence, Passage, Piece

MARKER = re.compile(r"(?P<code>(?P<ticks>`+).*?(?P=ticks))|[ \t]*\[\d{1,3}(?: ?[,;] ?\d{1,3})*\](?!\()", re.S)
"""What a widget takes for a citation; code spans and link labels are not, and are matched to be left alone."""
FENCE_END = re.compile(r"(?:\A|\n)( *)(?:`{3,}|~{3,})\Z")
LIST_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*+])\s")
LIST_MARKER = re.compile(r"(?m)^\s*\d+[.)](?:\s|$)")
WORD = re.compile(r"[^\W_]")
PARAGRAPH = "\n\n"
"""Stands for a paragraph before, whatever it said."""


def enforce(draft: Draft, evidence: Evidence, *, may_be_empty: bool = False) -> Draft:
    """Keep only claims whose cited ids were all given.

    A claim that cites an unknown id, or nothing, goes with its text: half a proof is none. So does one without a word.
    The claims kept are numbered. Raises NotGrounded when none is left, unless `may_be_empty` (a high-stakes reply
    stands without articles).
    """
    kept = [claim for claim in draft.claims if citable(claim, evidence)]
    if not kept and not may_be_empty:
        raise NotGrounded("no claim of the draft cites a passage it was given")
    return replace(draft, claims=tuple(replace(claim, id=f"c{number}") for number, claim in enumerate(kept, start=1)))


def citable(claim: Claim, evidence: Evidence) -> bool:
    """Whether a claim says something (the number of a step is nothing), and cites passages it was given, no others."""
    given = evidence.given
    says = WORD.search(LIST_MARKER.sub("", unmarked(claim.text)))
    return bool(claim.passage_ids) and set(claim.passage_ids) <= given.keys() and says is not None


class Prose:
    """An answer as it grows: numbers passages in order of first use, marks claims, and keeps lists and tables apart.

    The pieces joined are the answer's Markdown, so that what is shown early and what is sent in the end are one.
    """

    def __init__(self) -> None:
        self.order: dict[str, int] = {}
        self._previous: str | None = None

    def add(self, claim: Claim) -> str:
        """The next piece: what separates the claim from the one before, its text, its `[n]` marks."""
        for passage_id in claim.passage_ids:
            self.order.setdefault(passage_id, len(self.order) + 1)
        text = _mark(claim, self.order)
        above = f"{claim.heading}{PARAGRAPH}" if claim.heading else ""
        separator = "" if self._previous is None else PARAGRAPH if above else _separator(self._previous, text)
        self._previous = text
        return separator + above + text

    def paragraph(self, text: str) -> str:
        """The next piece as a paragraph of its own; empty when there is nothing to say."""
        if not text:
            return ""
        separator = "" if self._previous is None else "\n\n"
        self._previous = PARAGRAPH
        return separator + text

    def indexes(self, claim: Claim) -> list[int]:
        """The numbers behind a claim that was added."""
        return [self.order[passage_id] for passage_id in dict.fromkeys(claim.passage_ids)]


@dataclass(frozen=True, slots=True)
class Assembled:
    """An answer as text, and what it rests on."""

    text: str
    """Markdown with `[n]` behind each claim."""
    citations: Sequence[Citation]
    """In order of first use."""
    pieces: Sequence[Piece]
    """Of a draft in the articles' own words: each with its citation and its place in the text."""


def assemble(draft: Draft, evidence: Evidence, confidence: float) -> Assembled:
    prose = Prose()
    text = prose.paragraph(unmarked(draft.acknowledgement or ""))
    pieces = []
    for claim in draft.claims:
        text += prose.add(claim)
        if claim.piece is not None:
            start = len(text) - len(_mark(claim, prose.order))
            pieces.append(replace(claim.piece, citation=prose.indexes(claim)[0], span=(start, len(text))))
    for paragraph in (draft.offer or "", unmarked(draft.closing or "")):
        text += prose.paragraph(paragraph)
    return Assembled(text, _citations(draft.claims, prose.order, evidence, confidence), pieces)


def _citations(claims: Sequence[Claim], order: dict[str, int], evidence: Evidence, confidence: float) -> list[Citation]:
    hits = evidence.given
    best = max((hits[passage_id].final for passage_id in order), default=1.0) or 1.0
    return [
        Citation(
            index,
            hits[passage_id].passage,
            round(confidence * hits[passage_id].final / best, 4),
            _support(claims, passage_id),
            _quotes(claims, hits[passage_id].passage),
        )
        for passage_id, index in order.items()
    ]


def _support(claims: Sequence[Claim], passage_id: str) -> str:
    """The weakest label among the claims that cite the passage: one wrong statement must show."""
    labels = {claim.support for claim in claims if passage_id in claim.passage_ids}
    return next(label for label in ("unsupported", "unverified", "supported") if label in labels)


def _quotes(claims: Sequence[Claim], passage: Passage) -> tuple[str, ...]:
    """Supporting words in reading order; spans with nothing but space or punctuation between them are one quote."""
    proofs = (proof for claim in claims for proof in claim.proofs if proof.passage_id == passage.id)
    merged: list[tuple[int, int]] = []
    for start, end in sorted({span for proof in proofs if proof.support == "supported" for span in proof.spans}):
        if merged and not WORD.search(LIST_MARKER.sub("", passage.text[merged[-1][1] : start])):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(passage.text[start:end] for start, end in merged)


def _mark(claim: Claim, order: dict[str, int]) -> str:
    text = unmarked(claim.text)
    marks = "".join(f"[{order[passage_id]}]" for passage_id in dict.fromkeys(claim.passage_ids))
    if not marks:
        return text
    if text.endswith("|"):
        return f"{text}\n\n{marks}"
    if fence := FENCE_END.search(text):
        return f"{text}\n\n{fence[1]}{marks}"
    if text[-1] in ".!?:" and claim.piece is None:
        return f"{text[:-1]} {marks}{text[-1]}"
    return f"{text} {marks}"


def unmarked(text: str) -> str:
    """Without what looks like a citation; taking one out may make another (`[1[2]]`)."""
    while (cleaned := MARKER.sub(lambda found: found["code"] or "", text)) != text:
        text = cleaned
    return text.rstrip()


def _separator(previous: str, text: str) -> str:
    """List items stay together, sentences run on, tables and lists are paragraphs of their own."""
    if previous == PARAGRAPH:
        return "\n\n"
    if _is_item(previous) and LIST_ITEM.match(text):
        return "\n"
    if _is_item(previous) or LIST_ITEM.match(text) or _is_apart(previous) or _is_apart(text):
        return "\n\n"
    return " "


def _is_item(text: str) -> bool:
    """Whether the text ends inside a list; its lead-in may stand before it."""
    return bool(LIST_ITEM.match(text.rsplit("\n\n", 1)[-1]))


def _is_apart(text: str) -> bool:
    return "\n" in text or text.startswith("|")
