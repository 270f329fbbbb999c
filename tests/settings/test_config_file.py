"""`config.toml` shows every setting, what it means, and its default."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from handrail.settings import Knowledge, Settings, load_settings

CONFIG = Path(__file__).parents[2] / "config.toml"
TEXT = CONFIG.read_text(encoding="utf-8")
SECTIONS = list(Settings.model_fields)


def shown(section: str) -> dict[str, str]:
    """Each key of a section, commented out or not, and the comment line above it."""
    body = re.split(r"^\[(\w+)\]$", TEXT, flags=re.M)
    lines = body[body.index(section) + 1].strip().splitlines()
    keys: dict[str, str] = {}
    for above, line in zip(["", *lines], lines, strict=False):
        if match := re.match(r"^(?:# )?(\w+) =", line):
            keys[match[1]] = above
    return keys


def fields(section: str) -> dict[str, Any]:
    model = Settings.model_fields[section].annotation
    assert isinstance(model, type)
    assert issubclass(model, BaseModel)
    return dict(model.model_fields)


def test_the_sections_are_those_of_the_settings_in_their_order() -> None:
    assert re.findall(r"^\[(\w+)\]$", TEXT, flags=re.M) == SECTIONS


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_is_there_with_its_description(section: str) -> None:
    keys = shown(section)

    assert list(keys) == list(fields(section))
    for name, field in fields(section).items():
        assert keys[name].startswith(f"# {field.description}"), name


@pytest.mark.parametrize("section", SECTIONS)
def test_values_are_the_defaults(section: str) -> None:
    settings = load_settings(CONFIG, {}, kb="acme")

    assert getattr(settings, section) == getattr(Settings(knowledge=Knowledge(kb="acme")), section)


def test_only_keys_without_a_default_are_commented_out() -> None:
    given = tomllib.loads(TEXT)

    for section in SECTIONS:
        absent = {name for name, field in fields(section).items() if field.default is None}
        assert set(fields(section)) - set(given.get(section, {})) == absent
