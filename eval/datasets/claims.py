"""Claims: does this passage state this claim?"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from eval.datasets import SAMPLE, Case, Dataset


class Section(BaseModel):
    """A passage of the same article that the answer was written from, too, and is not cited."""

    text: str
    heading: str = ""


class ClaimCase(Case):
    claim: str
    passage: str
    """The one that is cited."""
    label: Literal["supported", "unsupported"] | None = None
    """Where there are passages beside: whether any passage states it."""
    kind: str | None = None
    """How the claim was made, such as `negation` or `heavy` paraphrase; for figures by kind."""
    question: str = ""
    """What the visitor asked, whose numbers an answer may take up."""
    title: str = ""
    """Of the article."""
    heading: str = ""
    beside: tuple[Section, ...] = ()
    stated_beside: int | None = None
    """Which of `beside` states it, from 0."""


CLAIMS = Dataset("claims", ClaimCase, SAMPLE / "claims.test.jsonl", "label")
