"""`handrail config`: the settings on paper."""

from __future__ import annotations

from typing import Annotated

import typer

from handrail.settings.show import config_file, page

Advanced = Annotated[bool, typer.Option("--advanced", help="Print the page with all other settings, in Markdown.")]


def config(advanced: Advanced = False) -> None:
    """Print a config.toml with every public setting at its default."""
    print(page() if advanced else config_file(), end="")  # noqa: T201
