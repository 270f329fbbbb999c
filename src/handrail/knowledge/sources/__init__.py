"""Sources that are declared in the settings: one file here for each kind, which makes a `Loader` of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from handrail.errors import SettingsError
from handrail.knowledge import Loader
from handrail.knowledge.sources.kept import Kept
from handrail.knowledge.sources.web import Web
from handrail.settings.sources import Source

KINDS: Mapping[str, str] = {
    "folder": "git:folder",
    "git": "git:Git",
    "site": "site:Site",
    "zendesk": "zendesk:Zendesk",
    "intercom": "intercom:Intercom",
    "chatwoot": "chatwoot:Chatwoot",
}
"""Module in this folder and what makes the loader, by kind; a module is imported when a source needs it."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What sources are given beside their declaration."""

    kept: Kept
    folder: Path
    """For what a source keeps between runs."""
    environ: Mapping[str, str]
    url_base: str
    max_bytes: int
    """Of one article."""
    sleep: Callable[[float], None]

    def secret(self, source: Source) -> str:
        """The credentials of a source; empty where it names none. Raises SettingsError."""
        if source.auth is None:
            return ""
        if not (secret := self.environ.get(source.auth, "").strip()):
            raise SettingsError(f"{source.where}: the environment variable {source.auth} is not set")
        return secret

    def web(self, source: Source, headers: Mapping[str, str] | None = None) -> Web:
        return Web(
            self.kept, headers or {}, source.per_minute, private_network=source.private_network, sleep=self.sleep
        )


def loader_of(source: Source, around: Surroundings) -> Loader:
    """Raises SettingsError and KnowledgeError."""
    module, name = KINDS[source.kind].split(":")
    make: Callable[[Source, Surroundings], Loader] = getattr(import_module(f"{__name__}.{module}"), name)
    return make(source, around)
