"""Talks: conversations with what each reply must tell the visitor, who reads it without opening anything."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from eval.datasets import Articles, Case, Dataset
from handrail.settings.paths import SAMPLE_KB
from handrail.types import Routing

TALKS = Path(__file__).parent / "talks"
"""Rows that ship: `<kb>.dev.jsonl` to work with, `<kb>.sealed.jsonl` to look at last."""
SEALED = ".sealed.jsonl"


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _some(value: object) -> object:
    """`null` is none, one text a list of one."""
    return () if value is None else (value,) if isinstance(value, str) else value


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_compiles)]
Patterns = Annotated[tuple[Pattern, ...], BeforeValidator(_some)]


class Want(BaseModel):
    """What a reply must be."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    routing: tuple[Routing, ...] = Field(min_length=1)
    """Any of these."""
    facts: tuple[Annotated[Patterns, Field(min_length=1)], ...] = ()
    """Of each list one pattern must be found in what is shown."""
    forbidden: Patterns = Field((), alias="not")
    """None of these may be found."""
    person: Literal["offered", "not_pushed", "any"] = "any"


class Said(BaseModel):
    """One message of the visitor."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    say: str = Field(min_length=1)
    want: Want
    article: Articles = ()
    """Those that answer; empty where none does, or nobody has said."""


class TalkCase(Case):
    kb: str = Field(SAMPLE_KB, min_length=1)
    """The help centre that is asked: `sample`, one that ships in `eval/datasets`, or a name given with `--corpus`."""
    who: str = ""
    turns: tuple[Said, ...] = Field(min_length=1)


TALK = Dataset("talks", TalkCase, TALKS / "sample.dev.jsonl", "want")
