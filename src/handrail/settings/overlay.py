"""Settings with other values laid over them, and the values that ask no model outside of this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from handrail.errors import SettingsError
from handrail.settings.load import literal
from handrail.settings.tree import Settings

Values = Mapping[str, Mapping[str, Any]]
"""By section and name."""

ALONE: Values = {
    "classify": {"mode": "local"},
    "decisions": {"model": "local", "models": {}},
    "generate": {"answerer": "extractive", "critique": "off"},
    "memory": {"rewrite": "local"},
    "rewrite": {"llm": False, "decompose": False},
    "verify": {"llm": "off"},
}


def overlaid(settings: Settings, values: Values) -> Settings:
    """Bounds are checked again. Raises ValidationError."""
    tree = settings.model_dump()
    return Settings.model_validate(tree | {name: {**tree[name], **section} for name, section in values.items()})


def assigned(given: Iterable[str]) -> Values:
    """Values written as `section.name=value`. Raises SettingsError for one that is not; names are checked later."""
    values: dict[str, dict[str, Any]] = {}
    for item in given:
        path, sign, value = item.partition("=")
        section, dot, name = path.strip().partition(".")
        if not (sign and dot) or section not in Settings.model_fields or section == "sources":
            raise SettingsError(
                f"{item!r} isn't SECTION.NAME=VALUE, such as llm.model=gpt-5-mini; see docs/settings.md"
            )
        values.setdefault(section, {})[name] = literal(value)
    return values


def alone(settings: Settings) -> Settings:
    """Without a language model and without a decision model, whichever the settings name."""
    tree = overlaid(settings, ALONE).model_dump()
    return Settings.model_validate({**tree, "llm": {}})
