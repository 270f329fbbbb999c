"""Answers on their way to the visitor: pieces, claims, drafts and what checking them found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handrail.types.evidence import Passage, heading_of
from handrail.types.labels import Verdict
from handrail.types.usage import NOTHING, Usage


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole section, or a whole procedure, as it is shown."""

    markdown: str
    """All of it, including what is folded away."""
    title: str
    """Of the article."""
    section: str
    """Headings of the section, outermost first, joined by " › "; empty for the text at the start of an article."""
    passage_id: str
    """The passage that a citation of the piece opens."""
    article_id: str
    url: str
    answering: tuple[int, int] | None = None
    """Where in `markdown` the sentence stands that answers: character offsets."""
    collapsed_after: int | None = None
    """Offset in `markdown` from which it is folded until the visitor asks for the rest; None shows all."""
    steps: int = 0
    """Numbered steps in all of it."""
    citation: int | None = None
    """Index of the citation that belongs to it; None in a card."""
    span: tuple[int, int] | None = None
    """Where it stands in the outcome's answer, citation mark included; None in a card."""

    @property
    def heading(self) -> str:
        """Title and section, each once."""
        return heading_of(self.title, (self.section,))


@dataclass(frozen=True, slots=True)
class Proof:
    """What checking one claim against one passage it cites found."""

    passage_id: str
    support: str
    """`supported`, `unsupported`, or `unverified` where the check could not tell."""
    score: float
    """Calibrated probability in [0, 1] that the passage states the claim."""
    by: str
    """`quote` (word for word), `local`, `llm` or `decision` (a decision model)."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the passage's text the supporting words stand: character offsets, in order, not overlapping."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a draft and the ids of the passages it cites."""

    text: str
    """Markdown: a sentence, a list item with its marker, or a table row block."""
    passage_ids: tuple[str, ...]
    support: str = "unverified"
    """`supported`, `unsupported` or `unverified`."""
    score: float | None = None
    """Calibrated probability in [0, 1] that the cited passages state it; None while unverified."""
    quote: str | None = None
    """The exact supporting words of the best cited passage."""
    proofs: tuple[Proof, ...] = ()
    """One per cited passage, once verified."""
    id: str = ""
    """`c1`, `c2`, … in the order of the draft; given when citations are enforced, and kept when others are removed."""
    heading: str = ""
    """Markdown that stands above it and states nothing."""
    piece: Piece | None = None
    """The section it is, where it is the articles' own words: nothing to be verified."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it may reach the visitor."""

    claims: Sequence[Claim]
    provider: str
    model: str | None = None
    acknowledgement: str | None = None
    offer: str | None = None
    closing: str | None = None
    suggestions: Sequence[str] = ()
    usage: Usage = NOTHING
    self_verdict: Verdict | None = None
    """What the answering model said of its own answer, if it was asked."""
    cached: bool = False
    """Whether it was written for an earlier turn."""

    @property
    def verbatim(self) -> bool:
        """Whether it is made of whole sections alone, or says nothing."""
        return all(claim.piece is not None for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Verified:
    """A draft whose claims carry their labels; nothing has been removed yet."""

    draft: Draft
    factuality: float | None
    """Share of the draft's checked claims that their passages support; None where nothing could be checked."""

    @property
    def unsupported(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.draft.claims if claim.support == "unsupported")


@dataclass(frozen=True, slots=True)
class Critique:
    """The judgement of a draft."""

    verdict: Verdict
    probability: float | None = None
    """Calibrated probability that the answer is right, when the critic has one."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered proof the visitor can open."""

    index: int
    passage: Passage
    score: float
    support: str
    quotes: tuple[str, ...] = ()
    """The exact words of the passage that support the claims citing it, in reading order."""

    @property
    def quote(self) -> str | None:
        """The first of them."""
        return self.quotes[0] if self.quotes else None


@dataclass(frozen=True, slots=True)
class Source:
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Card:
    """A section that looks close to what was asked, without the claim that it answers."""

    piece: Piece
    open: bool = False
    """Whether it is shown in full from the start."""
