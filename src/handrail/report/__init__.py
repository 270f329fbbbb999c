"""Reports written from a template of sections: what the articles say, cited, and what they leave open."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from handrail.answer.gate import Band
from handrail.types import Claim
from handrail.types.usage import Usage

EVEN = 0.5
"""Probability from which a thing is likelier than not."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Part(Frozen):
    """One section of a template."""

    heading: str
    guidance: str
    """Markdown; what the section should say."""
    asks: tuple[str, ...]
    """What the guidance asks for, one by one."""


class Template(Frozen):
    title: str
    note: str
    """What stands above the first section: for whoever writes, not for readers."""
    parts: tuple[Part, ...]


class Source(Frozen):
    """A section of an article."""

    title: str
    """Of the article and its headings, outermost first."""
    url: str


class Near(Frozen):
    """A section of an article that may answer something."""

    source: Source
    probability: float


class Asked(Frozen):
    """Whether a section's text answers one of the things that its guidance asks for."""

    text: str
    probability: float | None
    """That the section's text answers it; None where that could not be told."""
    answered: bool
    found: Band
    """Of the articles' likeliest section."""
    closest: tuple[Near, ...]
    """The likeliest sections, worth showing as the closest; none below that band."""


class Written(Frozen):
    """One section of a report."""

    heading: str
    how: Literal["written", "quoted", "insufficient"]
    claims: tuple[Claim, ...] = ()
    sources: dict[str, Source] = {}
    """Of the claims, by passage id."""
    asked: tuple[Asked, ...] = ()
    note: str = ""
    """What a reader should know of how the section was made."""
    failed: str = ""
    """Why the model did not write it; the next run tries again."""

    @property
    def lacking(self) -> tuple[Asked, ...]:
        return tuple(one for one in self.asked if not one.answered)


class Report(Frozen):
    title: str
    kb: str
    kb_version: str
    date: str
    model: str | None
    """What wrote it; None where the articles are quoted."""
    parts: tuple[Written, ...]
    usage: Usage = Usage()
    """Of the run that finished it."""

    @property
    def unfinished(self) -> tuple[Written, ...]:
        return tuple(part for part in self.parts if part.failed)
