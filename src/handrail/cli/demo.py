"""`handrail demo`: everything that a first look needs, in one command."""

from __future__ import annotations

from typing import Annotated

import typer

from handrail.cli import ingest, models, serve
from handrail.settings.paths import SAMPLE_KB


def demo(
    host: Annotated[str | None, typer.Option(help="Address to listen on. Default: server.host.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port. 0 picks a free one. Default: server.port.")
    ] = None,
) -> None:
    """Try Handrail: fetch the models, index the sample help centre, and serve widget, desk and API.

    What is there already is kept, so a second start takes seconds. For your own articles: `handrail init`.
    """
    models.fetch_models()
    ingest.ingest(kb=SAMPLE_KB, sample=True)
    serve.serve(host, port, SAMPLE_KB)
