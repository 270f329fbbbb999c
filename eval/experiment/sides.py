"""The two sides of an experiment: settings and prompts, held still while they are measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eval.provenance import without_secrets
from eval.report import flat
from eval.resume import NOT_OF_ROWS, UNRELATED
from handrail.errors import PermanentError, SettingsError
from handrail.llm.prompts import LocalPrompts
from handrail.observe.prompt_drafts import digest, drafts, served
from handrail.observe.registry import PromptRegistry
from handrail.settings import Settings, assigned, explain, overlaid

SHARED = ("knowledge", "storage", "judge", "observe", "models.embedder", "prompts.folder")
"""Settings that both sides have in common: they read the same articles and are judged by the same judge."""


class SideError(PermanentError):
    """What was asked of a side is wrong; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Given:
    """A side as the command line names it."""

    values: tuple[str, ...] = ()
    """`section.name=value` each."""
    prompts: str | None = None
    """A folder of templates, `langfuse:LABEL` or `langfuse:NAME@VERSION`; None for those in use."""


@dataclass(frozen=True, slots=True)
class Side:
    given: Given
    settings: Settings
    prompts: Mapping[str, str]
    """sha256 of every template, by name."""


def sides(settings: Settings, a: Given, b: Given) -> tuple[Side, Side]:
    """Raises HandrailError where one of the two can't be measured, or both are the same."""
    registry = PromptRegistry(settings.observe) if settings.observe.langfuse_configured else None
    try:
        now = served(LocalPrompts(own=settings.prompts.folder), registry, settings.observe.prompt_label)
        one, other = (
            _side(f"--set-{letter}", settings, given, now, registry) for letter, given in (("a", a), ("b", b))
        )
    finally:
        if registry is not None:
            registry.close()
    if without_secrets(one.settings) == without_secrets(other.settings):
        raise SideError("A and B are the same: change one with --set-b SECTION.NAME=VALUE or --prompts-b")
    return one, other


def key(one: Side, other: Side) -> str:
    """Of just these two, whoever judges them: rows of one are gone on with only beside the other."""
    told = [dict(flat({"settings": without_secrets(side.settings)})) for side in (one, other)]
    apart = (*UNRELATED, *NOT_OF_ROWS)
    held = json.dumps([{n: v for n, v in side.items() if not n.startswith(apart)} for side in told], sort_keys=True)
    return hashlib.sha256(held.encode()).hexdigest()[:12]


def differing(one: Side, other: Side) -> dict[str, tuple[Any, Any]]:
    """Settings that are not the same, by name; where prompts are kept is none of them."""
    a, b = (dict(flat(without_secrets(side.settings))) for side in (one, other))
    names = [name for name in {**a, **b} if a.get(name) != b.get(name) and name != "prompts.folder"]
    return {name: (a.get(name), b.get(name)) for name in names}


def _side(
    option: str, settings: Settings, given: Given, now: Mapping[str, str], registry: PromptRegistry | None
) -> Side:
    values = assigned(given.values)
    for name in (f"{section}.{name}" for section, held in values.items() for name in held):
        if name in SHARED or name.partition(".")[0] in SHARED:
            raise SideError(f"{option} {name}: both sides share {', '.join(SHARED)}; prompts have --prompts-a and -b")
    texts = {**now, **(drafts(given.prompts, now, registry) if given.prompts is not None else {})}
    folder = _kept(texts, settings.storage.data_dir / "eval" / "prompts")
    alike: dict[str, dict[str, Any]] = {
        "prompts": {"folder": folder},
        # Answers that are kept would be given again without a call, and traces would mix with those of visitors.
        "generate": {"cache_hours": 0},
        "observe": {"langfuse_public_key": None},
    }
    try:
        changed = overlaid(overlaid(settings, values), alike)
    except ValidationError as error:
        raise SettingsError(explain(error, option)) from None
    return Side(given, changed, {name: digest(text) for name, text in texts.items()})


def _kept(texts: Mapping[str, str], folder: Path) -> Path:
    """A copy named by what it holds: an edit in the middle of an experiment changes nothing."""
    held = json.dumps(texts, sort_keys=True)
    path = folder / hashlib.sha256(held.encode()).hexdigest()[:12]
    path.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (path / f"{name}.j2").write_text(text, encoding="utf-8", newline="")
    return path.absolute()
