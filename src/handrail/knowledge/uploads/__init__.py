"""Files of articles that leads bring to the desk: looked at first, and part of the knowledge base once approved.

Everything lies in the knowledge base's own folder: `uploads/waiting/ID` until somebody decides,
`uploads/versions/NAME/N` for what was approved, and a copy of the current version in `articles/uploaded`, from which
every ingest and sync reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from handrail.errors import PermanentError

SECTION = "uploaded"
"""Folder of the approved files beside other approved articles, and first part of their articles' ids."""


class UploadError(PermanentError):
    """A file that can't be taken, and why."""


class NoUpload(UploadError):
    """There is no such file, or somebody has decided about it already."""


@dataclass(frozen=True, slots=True)
class About:
    """Of one file that was uploaded."""

    name: str
    size: int
    """Bytes."""
    by: str
    """Id of the user who brought it."""
    at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands under one heading, as an answer quotes it."""

    heading: str
    text: str
    """Markdown."""


@dataclass(frozen=True, slots=True)
class Preview:
    """One article of a file."""

    id: str
    title: str
    url: str
    sections: tuple[Shown, ...]
    for_agents: bool
    planted: bool
    """Whether it holds instructions to a language model."""


@dataclass(frozen=True, slots=True)
class Waiting:
    id: str
    about: About


@dataclass(frozen=True, slots=True)
class Published:
    about: About
    version: int
    versions: tuple[int, ...]
    """Those that can be restored, the newest first."""
    articles: tuple[str, ...]
    """Ids."""
    tags: tuple[str, ...]
