"""What the articles hold: passages, sections, and what was found for a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What a passage is, where it is not simply a part of its article's text."""

    TEXT = ""
    ROW = "row"
    """One row of a large table, which also stands in the passages of the whole table."""
    FIGURE = "figure"
    """What a machine wrote about a figure: evidence of less weight than what people wrote."""
    VARIANT = "variant"
    """Text of one of several tabs, of one platform for instance: shown alone, never with another's."""


PROSE = frozenset({Kind.TEXT, Kind.VARIANT})
"""What readers read from top to bottom."""


@dataclass(frozen=True, slots=True)
class PageImage:
    """The picture of a page."""

    name: str
    """Under which it is kept and asked for: the digest of the article and the number of the page."""
    width: int
    height: int
    """In pixels."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the document that the article was read from."""

    page: int
    """From 1."""
    box: tuple[float, float, float, float] | None = None
    """Left, top, right and bottom as shares of the page's width and height, from its upper left corner."""
    image: PageImage | None = field(default=None, repr=False)
    """None where there is no picture of the page. Not in `repr`, which digests of articles are made of."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One citable piece of one article."""

    id: str
    """`article_id/n`, stable while the article keeps its shape."""
    article_id: str
    position: int
    title: str
    headings: tuple[str, ...]
    text: str
    url: str
    tokens: int
    facets: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.TEXT
    places: tuple[Place, ...] = ()
    """Where it stands, in reading order; empty for articles that have no pages."""

    @property
    def section(self) -> tuple[str, tuple[str, ...]]:
        """Passages with equal sections are neighbours."""
        return (self.article_id, self.headings)

    @property
    def embedding_text(self) -> str:
        """Title and heading path in front of the text: what encoders read."""
        return " > ".join((self.title, *self.headings)) + "\n" + self.text


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading of an article, whole."""

    id: str
    """`article_id#n`, in reading order."""
    article_id: str
    title: str
    headings: tuple[str, ...]
    """Empty for what stands above the first heading."""
    text: str
    """Markdown."""
    url: str
    passage_ids: tuple[str, ...]
    """The passages that hold it or a part of it, in reading order."""
    leads_to: str = ""
    """Of a few words above the first heading: what stands below it, in Markdown. They are shown together."""
    figure: bool = False
    """Whether it is what a machine says of a figure."""

    @property
    def path(self) -> str:
        """Title and headings, as encoders read them in front of a text."""
        return " > ".join((self.title, *self.headings))


def heading_of(title: str, headings: Sequence[str]) -> str:
    """Title and headings as people read them, outermost first, each once."""
    return " › ".join(dict.fromkeys(part for part in (title, *headings) if part))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A section that was read beside the question."""

    section: Section
    probability: float
    """Calibrated: that it answers the question."""
    signals: Mapping[str, float] = field(default_factory=dict)
    row: str = ""
    """Id of the passage of the one row of a table by which it was found; empty where it was found otherwise."""

    @property
    def cited(self) -> str:
        """Id of the passage that a citation of the section opens."""
        return self.row or self.section.passage_ids[0]


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage with the scores that put it there."""

    passage: Passage
    dense: float = 0.0
    """Cosine similarity in [-1, 1]; 0 when only keyword search found it."""
    keyword: float = 0.0
    """BM25 score, unbounded; 0 when only dense search found it."""
    fused: float = 0.0
    """Weighted fusion in [0, 1]."""
    final: float = 0.0
    """The ordering score in [0, 1]; not a probability."""
    neighbour: bool = False
    """Added because it stands beside a retrieved passage."""
    late: float | None = None
    """Mean cosine of the query's tokens, each to the passage's nearest token; None when they were not compared."""


@dataclass(frozen=True, slots=True)
class Related:
    """An article that belongs beside what was shown, by what the articles say of each other."""

    article_id: str
    title: str
    url: str
    relation: str
    """`superseded_by`, `next`, `related` or `link`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What retrieval found for one query, best first, and the signals gates read."""

    query: str
    hits: Sequence[Hit]
    signals: Mapping[str, float] = field(default_factory=dict)
    unlisted: Sequence[str] = ()
    """Codes that the question names and the articles, which list others like them, do not: nothing answers it."""
    sections: Sequence[Candidate] = ()
    """Those that were read, the likeliest to answer first."""
    parts: Sequence[Evidence] = ()
    """Of a message that asks several things: what was found for each of them; empty for one."""

    @property
    def given(self) -> Mapping[str, Hit]:
        """By passage id, all that may be cited."""
        return {hit.passage.id: hit for hit in self.hits}

    @property
    def probability(self) -> float:
        """That the likeliest section answers; 0 where nothing was found, or no article names the code asked about."""
        return self.sections[0].probability if self.sections and not self.unlisted else 0.0

    @property
    def passages(self) -> list[Passage]:
        return [hit.passage for hit in self.hits]
