"""How long the sample help centre takes to index, and to find unchanged."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from handrail.commands.ingest import run as ingest
from handrail.commands.ingest import sample_folder
from handrail.knowledge.markdown_folder import MarkdownFolder
from handrail.settings import Settings


def ingest_twice(settings: Settings, folder: Path | None = None) -> dict[str, float | int]:
    """Index `folder` (default: the sample help centre) in a place of its own, twice.

    `passages_per_s` is of the writing run without loading the model; the two times are of whole runs with it.
    """
    with tempfile.TemporaryDirectory() as scratch:
        storage = settings.storage.model_copy(update={"data_dir": Path(scratch), "chroma_url": None})
        apart = settings.model_copy(update={"storage": storage})
        loader = MarkdownFolder(
            folder or sample_folder(), settings.knowledge.url_base, settings.knowledge.max_article_bytes
        )
        start = time.perf_counter()
        first = ingest(apart, [loader])
        between = time.perf_counter()
        ingest(apart, [loader])
        end = time.perf_counter()
    return {
        "passages": first.embedded,
        "passages_per_s": round(first.embedded / first.seconds, 1),
        "first_s": round(between - start, 2),
        "unchanged_s": round(end - between, 2),
    }
