"""The settings on paper: `config.toml` with what an installation decides, and `docs/settings.md` with the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from handrail.settings.base import Section
from handrail.settings.fitted import NUMBERS
from handrail.settings.tree import Settings

BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
CONFIG = """\
# The settings that most installations change, each with its default and meaning. The others are listed in
# docs/settings.md and can be set in this file, too. For the sample help centre, src/handrail/sample/profile.toml fills
# in what is set neither here nor in the environment. Every setting has an environment variable: [llm] model is
# HANDRAIL__LLM__MODEL. A wrong value stops the start with a message that names it. Keys that are commented out have
# no default. [[sources]] tables say where articles come from: see docs/sources.md.
"""
PAGE = """\
# Advanced settings

`config.toml` shows the settings that most installations change. This page lists the others: time limits and sizes,
features with a page of their own ([single sign-on](single-sign-on.md), [decision models](decisions.md),
[Chatwoot and signed customers](hand-off.md), [the judge](evaluation.md)), and fitted or measured numbers with their
source. Set them in the same way: under their section in `config.toml`, or as `HANDRAIL__SECTION__KEY` in the
environment.

`handrail config --advanced` prints this page.
"""


def sections() -> Iterator[tuple[str, type[Section]]]:
    for name, field in Settings.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, Section):
            yield name, model


def is_advanced(field: FieldInfo) -> bool:
    return isinstance(field.json_schema_extra, dict) and bool(field.json_schema_extra.get("advanced"))


def config_file() -> str:
    """Every public setting at its default, as TOML."""
    parts = [CONFIG]
    for section, model in sections():
        schema = _schema(model)
        lines = []
        for key, field in model.model_fields.items():
            if not is_advanced(field):
                bounds = _bounds(schema[key])
                lines.append(f"# {field.description}{f' ({bounds})' if bounds else ''}\n")
                lines.append(f"# {key} =\n" if field.default is None else f"{key} = {_toml(field.default)}\n")
        if lines:
            parts.append(f"[{section}]\n{''.join(lines)}")
    return "\n".join(parts)


def chosen(values: Mapping[str, Mapping[str, Any]]) -> str:
    """These settings alone, as TOML, each under what it means."""
    parts = []
    for section, model in sections():
        lines = [
            f"# {model.model_fields[key].description}\n{key} = {_toml(value)}\n"
            for key, value in values.get(section, {}).items()
        ]
        if lines:
            parts.append(f"[{section}]\n{''.join(lines)}")
    return "\n".join(parts)


def page() -> str:
    """Every other setting, as Markdown."""
    parts = [PAGE]
    for section, model in sections():
        schema = _schema(model)
        rows = [
            _row(f"{section}.{key}", key, field, schema[key])
            for key, field in model.model_fields.items()
            if is_advanced(field)
        ]
        if rows:
            head = "| setting | default | allowed | meaning |\n|---|---|---|---|\n"
            parts.append(f"## {section}\n{head}{''.join(rows)}")
    return "\n".join(parts)


def _row(name: str, key: str, field: FieldInfo, schema: dict[str, Any]) -> str:
    default = "" if field.default is None else f"`{_toml(field.default)}`"
    allowed = " or ".join(f"`{choice}`" for choice in _choices(schema)) or _bounds(schema)
    meaning = field.description or ""
    if name in NUMBERS:
        meaning += f" *Source: {NUMBERS[name].source}.*"
    cells = (f"`{key}`", default, allowed, meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _schema(model: type[Section]) -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = model.model_json_schema()["properties"]
    return properties


def _bounds(schema: dict[str, Any]) -> str:
    own = [f"{sign} {schema[bound]}" for bound, sign in BOUNDS.items() if bound in schema]
    return ", ".join(own) or next(filter(None, map(_bounds, schema.get("anyOf", ()))), "")


def _choices(schema: dict[str, Any]) -> list[str]:
    """What is allowed where only a few words are."""
    if schema.get("type") == "boolean":
        return ["true", "false"]
    found = [str(choice) for choice in schema.get("enum", ())]
    return found + [choice for option in schema.get("anyOf", ()) for choice in _choices(option)]


def _toml(value: object) -> str:
    """Defaults are texts, numbers, booleans, paths, and empty lists and tables, which JSON writes as TOML does."""
    return json.dumps(value.as_posix() if isinstance(value, Path) else value, ensure_ascii=False)
