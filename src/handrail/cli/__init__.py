"""One file per command; options they share."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from handrail.errors import SettingsError
from handrail.settings import Settings, explain, load_settings, overlaid

KB = Annotated[str | None, typer.Option("--kb", help="Knowledge base. Default: knowledge.kb from the settings.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs. Notes go to standard error.")]
MaxUsd = Annotated[
    float, typer.Option("--max-usd", min=0.0, help="Spending limit for the LLM, in USD. 0 means no limit.")
]
MaxTokens = Annotated[
    int,
    typer.Option("--max-tokens", min=0, help="Token limit for the LLM, input and output together. 0 means no limit."),
]

notes = Console(stderr=True, highlight=False, soft_wrap=True)
"""Progress and notes."""

results = Console(highlight=False, markup=False, soft_wrap=True)
"""What a command was asked for, one line per row."""


def loading() -> AbstractContextManager[object]:
    """Says in a terminal what is waited for, while it is; nothing in a pipe."""
    return notes.status("loading models and articles…")


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
