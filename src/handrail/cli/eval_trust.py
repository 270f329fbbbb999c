"""`handrail eval trust`: whether tiers and relations are worth having."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import Json, notes, settings_for
from handrail.cli.eval_runs import part


def trust(
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="Articles with tiers. Default: those that ship for this.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Rows over these articles. Default: those that ship for this.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure tiers, outdated pages and relations, each switched on and off, over an index in memory.

    Rows: {"question", "article_ids": [right], "not": [wrong], "related": [named beside it], "about": switch}, where the
    switch is canonical, raw, machine, outdated or related. "Right first" is the share of rows in which a right article
    is quoted first; intervals are of the paired difference. Without --corpus, the same is measured over a base
    without tiers, as it is and with tiers given at random. No LLM is asked.
    """
    if (corpus is None) != (file is None):
        raise typer.BadParameter("name both --corpus and --file, or neither")
    module, settings = part("trust"), settings_for()
    notes.print("tiers and relations")
    lines = module.measure(settings, corpus or module.ARTICLES, file or module.ROWS)
    if corpus is None:
        notes.print("a knowledge base without tiers")
        lines += module.harm(settings, module.BESIDE, module.BESIDE_ROWS)
    typer.echo(module.as_json(lines) if as_json else module.as_markdown(lines))
