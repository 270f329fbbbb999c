"""One file per command; options they share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from handrail.errors import SettingsError
from handrail.settings import Settings, explain, load_settings, overlaid
from handrail.types.filters import Filters

KB = Annotated[str | None, typer.Option("--kb", help="Knowledge base. Default: knowledge.kb from the settings.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs. Notes go to standard error.")]
MaxUsd = Annotated[
    float, typer.Option("--max-usd", min=0.0, help="Spending limit for the LLM, in USD. 0 means no limit.")
]
MaxTokens = Annotated[
    int,
    typer.Option("--max-tokens", min=0, help="Token limit for the LLM, input and output together. 0 means no limit."),
]
Chosen = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="KEY=VALUE",
        help="Only articles with this value, such as tags=billing or updated_from=2026-01-01. May be repeated; the "
        "same key again adds an alternative.",
    ),
]
Project = Annotated[
    list[str] | None, typer.Option("--project", help="The same as --filter project_key=…; may be repeated.")
]

notes = Console(stderr=True, highlight=False, soft_wrap=True)
"""Progress and notes."""

results = Console(highlight=False, markup=False, soft_wrap=True)
"""What a command was asked for, one line per row."""


def loading() -> AbstractContextManager[object]:
    """Says in a terminal what is waited for, while it is; nothing in a pipe."""
    return notes.status("loading models and articles…")


def filters_of(chosen: Sequence[str] | None, projects: Sequence[str] | None) -> Filters:
    """What was given with --filter and --project. Raises BadFilter."""
    from handrail.stores.filters import BadFilter, read

    found: dict[str, list[str]] = {"project_key": list(projects)} if projects else {}
    for given in chosen or ():
        key, equals, value = given.partition("=")
        if not equals:
            raise BadFilter(f"--filter {given!r}: write it as KEY=VALUE, such as tags=billing")
        found.setdefault(key.strip(), []).append(value)
    return read({key: values[0] if len(values) == 1 else values for key, values in found.items()})


def settings_for(kb: str | None = None, **sections: dict[str, Any]) -> Settings:
    """The settings with one knowledge base chosen, or other values laid over them; bounds are checked again."""
    settings = load_settings(kb=kb)
    if settings.observe.log_format == "json":  # otherwise warnings stay plain sentences, for whoever typed the command
        from handrail.observe import log_format

        log_format.configure(settings.observe)
    if not sections:
        return settings
    try:
        return overlaid(settings, sections)
    except ValidationError as error:
        raise SettingsError(explain(error, "the command line")) from None
