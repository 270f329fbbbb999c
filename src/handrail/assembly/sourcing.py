"""The sources of a knowledge base, from the settings and from the desk, each with what its articles are noted under."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from handrail.assembly.fitted import kb_folder
from handrail.knowledge import Loader
from handrail.knowledge.origins import AT_DESK, BY_HAND, SOURCES, UNKNOWN, Origins
from handrail.knowledge.sources import Surroundings, loader_of
from handrail.knowledge.sources.allowed import allowed
from handrail.knowledge.sources.at_desk import DeskSource, DeskSources
from handrail.knowledge.sources.kept import Kept
from handrail.settings import Settings
from handrail.settings.sources import Source

TOKEN = "DESK_SOURCE_TOKEN"  # noqa: S105 - the name of a variable
"""Under which a source of the desk finds its credentials. Its declaration can't name another."""


@dataclass(frozen=True, slots=True)
class Known:
    """A source as a sync reads it."""

    id: str
    source: Source
    desk: DeskSource | None = None
    """As it is declared at the desk; None for one of the settings."""

    @property
    def active(self) -> bool:
        return self.desk is None or self.desk.active

    def open(self, settings: Settings, kept: Kept, folder: Path, environ: Mapping[str, str]) -> Loader:
        """Raises KnowledgeError and SettingsError."""
        source = self.source
        if self.desk is not None:
            token = self.desk.token
            source, environ = permitted(settings, source, token=bool(token)), {TOKEN: token}
            source = source.model_copy(update={"auth": TOKEN if token else None})
        knowledge = settings.knowledge
        around = Surroundings(kept, folder, environ, knowledge.url_base, knowledge.max_article_bytes, time.sleep)
        return loader_of(source, around)


def permitted(settings: Settings, source: Source, *, token: bool) -> Source:
    """As it may be read for somebody at the desk. Raises KnowledgeError that says what to do."""
    knowledge = settings.knowledge
    return allowed(source, knowledge.desk_folders, token=token, private=knowledge.desk_private_network)


def known_sources(settings: Settings) -> list[Known]:
    """Those of the knowledge base in use: of the settings, then of the desk, paused ones among them.

    Raises SourceError.
    """
    kb = settings.knowledge.kb
    declared = [Known(_id(one), one) for one in settings.sources if (one.kb or kb) == kb]
    return declared + [Known(one.id, one.source, one) for one in desk_sources(settings).all()]


def desk_sources(settings: Settings) -> DeskSources:
    return DeskSources(kb_folder(settings, settings.knowledge.kb) / SOURCES)


def origins_of(settings: Settings) -> Origins:
    return Origins(kb_folder(settings, settings.knowledge.kb))


def names_of(settings: Settings) -> Callable[[str], str]:
    """Where an article came from, in words, by its id."""
    origins = origins_of(settings).all()
    names = {BY_HAND: "by hand", AT_DESK: "approved at the desk", UNKNOWN: "a source"}
    names |= {one.id: one.source.where for one in known_sources(settings)}
    return lambda id_: names.get(origins.get(id_, BY_HAND), "a source that is declared no more")


def _id(source: Source) -> str:
    """The same for as long as it is read from the same place."""
    place = (source.kind, source.where, source.locale, source.folder, source.branch)
    return f"config-{sha256(repr(place).encode()).hexdigest()[:12]}"
