"""Prompt versions moved between the local files and Langfuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from handrail.llm.prompts import NAME, PromptError, PromptSource, parse_header
from handrail.observe.registry import LATEST, PromptRegistry, RegisteredPrompt

VERSIONS_COMPARED = 20
"""Registered versions, newest first, that a local file is compared with to tell an old copy from an edited one."""


@dataclass(frozen=True, slots=True)
class PromptStatus:
    """One prompt on both sides; the registry's fields are None when it does not have the prompt, or is not set up."""

    name: str
    local_version: str
    """The `version` of the file's header."""
    used_version: int | None = None
    """The registered version that carries the label."""
    latest_version: int | None = None
    same: bool | None = None
    """Whether the file's text is the labelled version's."""


@dataclass(frozen=True, slots=True)
class Pushed:
    name: str
    action: Literal["created", "unchanged"]
    version: int
    served: bool = True
    """Whether the label is on it; a release gives it the label of the version that is served."""


@dataclass(frozen=True, slots=True)
class Pulled:
    name: str
    action: Literal["written", "unchanged", "kept", "absent"]
    """`kept`: the file was edited locally and stays; `absent`: the registry has no version with the label."""
    version: int | None


def list_prompts(local: PromptSource, registry: PromptRegistry | None, label: str) -> list[PromptStatus]:
    """All local prompts, compared with the registry when there is one."""
    return [_status(name, local, registry, label) for name in local.names()]


def push_prompts(names: Sequence[str], local: PromptSource, registry: PromptRegistry, label: str) -> list[Pushed]:
    """Register every local prompt of `names` (all when empty) whose text is not the latest version's already.

    What visitors are answered with stays: only a prompt that no version is labelled for, where the local file answers,
    gets `label`. Every file is checked before the first is sent; raises PromptError when one is missing or has no
    proper header.
    """
    texts = {name: local.text(name) for name in names or local.names()}
    pushed = []
    for name, prompt in texts.items():
        latest = registry.labelled(name, LATEST)
        if latest is not None and latest.text == prompt.text:
            pushed.append(Pushed(name, "unchanged", latest.version, label in latest.labels))
            continue
        first = registry.labelled(name, label) is None
        message = f"handrail prompts push, file version {prompt.version}"
        created = registry.create(name, prompt.text, label if first else None, message)
        pushed.append(Pushed(name, "created", created.version, first))
    return pushed


def pull_prompts(
    names: Sequence[str],
    local: PromptSource,
    registry: PromptRegistry,
    folder: Path,
    label: str,
    *,
    force: bool = False,
) -> list[Pulled]:
    """Write the labelled versions of `names` (all local ones when empty) into `folder`.

    A file whose text no registered version has was edited here; it is overwritten only with `force`. Raises PromptError
    for a registered text that is no Handrail prompt, before that file is touched.
    """
    return [_pull(name, registry, folder, label, force) for name in names or local.names()]


def release_prompts(
    texts: Mapping[str, str], registry: PromptRegistry | None, folder: Path, label: str, message: str
) -> dict[str, str]:
    """Serve `texts`, by name: in Langfuse as the version with the label, else from `folder`. Returns where each is."""
    found = {}
    for name, text in texts.items():
        parse_header(name, text)
        if registry is None:
            path = _file(name, folder)
            _write(path, text)
            found[name] = str(path)
            continue
        known = _registered(name, text, registry)
        if known is None:
            known = registry.create(name, text, label, message)
        else:
            registry.give(known, label)
        found[name] = f"Langfuse version {known.version}, labelled {label}"
    return found


def _status(name: str, local: PromptSource, registry: PromptRegistry | None, label: str) -> PromptStatus:
    prompt = local.text(name)
    if registry is None:
        return PromptStatus(name, prompt.version)
    used, latest = registry.labelled(name, label), registry.labelled(name, LATEST)
    return PromptStatus(
        name,
        prompt.version,
        used.version if used else None,
        latest.version if latest else None,
        used.text == prompt.text if used else None,
    )


def _pull(name: str, registry: PromptRegistry, folder: Path, label: str, force: bool) -> Pulled:
    path = _file(name, folder)
    found = registry.labelled(name, label)
    if found is None:
        return Pulled(name, "absent", None)
    parse_header(name, found.text)
    current = path.read_text(encoding="utf-8") if path.is_file() else None
    if current == found.text:
        return Pulled(name, "unchanged", found.version)
    if current is not None and not force and _registered(name, current, registry) is None:
        return Pulled(name, "kept", found.version)
    _write(path, found.text)
    return Pulled(name, "written", found.version)


def _registered(name: str, text: str, registry: PromptRegistry) -> RegisteredPrompt | None:
    """The newest version with this text."""
    for number in registry.versions(name)[:VERSIONS_COMPARED]:
        version = registry.numbered(name, number)
        if version is not None and version.text == text:
            return version
    return None


def _file(name: str, folder: Path) -> Path:
    if not NAME.fullmatch(name):
        raise PromptError(f"{name!r} is not a prompt name: use lower-case letters, digits and underscores")
    return folder / f"{name}.j2"


def _write(path: Path, text: str) -> None:
    """Replaced in one step, so that a turn running meanwhile reads the old text or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".j2.partial")
    partial.write_text(text, encoding="utf-8", newline="")
    partial.replace(path)
