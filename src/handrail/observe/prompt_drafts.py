"""Prompt texts that are served, and those that somebody would like to serve instead."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from jinja2 import TemplateError, meta

from handrail.llm.prompts import PromptError, PromptSource, compiled, parse_header
from handrail.observe.registry import PromptRegistry

LANGFUSE = "langfuse:"
BLOCKS = ("system", "user")


def served(local: PromptSource, registry: PromptRegistry | None, label: str) -> dict[str, str]:
    """The texts that answer visitors now, by name. Raises RetryableError or PermanentError where Langfuse fails."""
    texts = {}
    for name in local.names():
        labelled = registry.labelled(name, label) if registry is not None else None
        texts[name] = labelled.text if labelled is not None else local.text(name).text
    return texts


def drafts(source: str | Path, now: Mapping[str, str], registry: PromptRegistry | None) -> dict[str, str]:
    """Texts of `source` that are not those of `now`, by name; each is checked to render with what it will be given.

    `source` is a folder of templates, `langfuse:LABEL`, or `langfuse:NAME@VERSION`. Raises PromptError saying what is
    wrong with it.
    """
    if str(source).startswith(LANGFUSE):
        found = _registered(str(source).removeprefix(LANGFUSE), now, registry)
    else:
        found = _in_folder(Path(source), now)
    changed = {name: text for name, text in found.items() if text != now[name]}
    for name, text in changed.items():
        _check(name, text, now[name])
    return changed


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _in_folder(folder: Path, now: Mapping[str, str]) -> dict[str, str]:
    try:
        found = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.j2"))}
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"the prompts in {folder} can't be read: {error}") from None
    if not found:
        raise PromptError(f"{folder} holds no prompt: copy the one you want to change there, as NAME.j2")
    unknown = found.keys() - now.keys()
    if unknown:
        raise PromptError(
            f"{folder}: nothing uses a prompt named {', '.join(sorted(unknown))}; see `handrail prompts list`"
        )
    return found


def _registered(which: str, now: Mapping[str, str], registry: PromptRegistry | None) -> dict[str, str]:
    if registry is None:
        raise PromptError(
            "Langfuse isn't configured: set LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_HOST, or name a folder"
        )
    name, numbered, version = which.partition("@")
    if not numbered:
        every = {name: registry.labelled(name, which) for name in now}
        found = {name: prompt.text for name, prompt in every.items() if prompt is not None}
        if not found:
            raise PromptError(
                f"Langfuse has no prompt labelled {which!r}: `handrail prompts push` registers the local files"
            )
        return found
    prompt = registry.numbered(name, int(version)) if name in now and version.isdecimal() else None
    if prompt is None:
        raise PromptError(f"Langfuse has no version {version!r} of a prompt {name!r}; write langfuse:NAME@VERSION")
    return {name: prompt.text}


def _check(name: str, text: str, instead_of: str) -> None:
    """What would fail only in a turn, where the answer is then quoted, is refused here."""
    inputs, given = set(parse_header(name, text).inputs), set(parse_header(name, instead_of).inputs)
    if inputs != given:
        raise PromptError(f"prompt {name!r} must name the inputs of the one in use: {', '.join(sorted(given))}")
    try:
        template = compiled(text)
        used = meta.find_undeclared_variables(template.environment.parse(text))
    except TemplateError as error:
        raise PromptError(f"prompt {name!r} does not render: {error}") from None
    missing = [block for block in BLOCKS if block not in template.blocks]
    if missing:
        raise PromptError(f"prompt {name!r} has no block named {missing[0]!r}")
    if used - given:
        raise PromptError(f"prompt {name!r} uses {', '.join(sorted(used - given))}, which it is not given")
