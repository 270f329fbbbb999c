"""Settings with other values laid over them, and the values that ask no model outside of this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handrail.settings.tree import Settings

Values = Mapping[str, Mapping[str, Any]]
"""By section and name."""

ALONE: Values = {
    "classify": {"mode": "local"},
    "decisions": {"model": "local", "models": {}},
    "generate": {"answerer": "extractive", "critique": "off"},
    "memory": {"rewrite": "local"},
    "rewrite": {"llm": False},
    "verify": {"llm": "off"},
}


def overlaid(settings: Settings, values: Values) -> Settings:
    """Bounds are checked again. Raises ValidationError."""
    tree = settings.model_dump()
    return Settings.model_validate(tree | {name: {**tree[name], **section} for name, section in values.items()})


def alone(settings: Settings) -> Settings:
    """Without a language model and without a decision model, whichever the settings name."""
    tree = overlaid(settings, ALONE).model_dump()
    return Settings.model_validate({**tree, "llm": {}})
