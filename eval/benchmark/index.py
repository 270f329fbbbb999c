"""How long a help centre takes to index, and to find unchanged; a process of its own, so that it can be stopped."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TypedDict

from eval.benchmark import environment
from handrail.errors import HandrailError
from handrail.settings import Settings


class Indexing(TypedDict):
    passages: int
    passages_per_s: float
    """Of the writing run, without loading the model."""
    first_s: float
    """The whole run, with loading the model."""
    unchanged_s: float
    """The same again, when nothing has changed."""


async def ingest_apart(settings: Settings, folder: Path) -> Indexing:
    """Index `folder` in a place of its own, twice. Raises HandrailError with what the process said when it failed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "eval.benchmark.index",
        str(folder),
        env=environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = await process.communicate(settings.model_dump_json().encode())
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())
    if process.returncode:
        raise HandrailError(f"the ingest benchmark failed: {err.decode(errors='replace').strip()[-600:]}")
    found: Indexing = json.loads(out)
    return found


def ingest_twice(settings: Settings, folder: Path) -> Indexing:
    from handrail.cli.ingest import run
    from handrail.knowledge.folder import Folder

    with tempfile.TemporaryDirectory() as scratch:
        storage = settings.storage.apart(Path(scratch))
        apart = settings.model_copy(update={"storage": storage})
        loader = Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes)
        start = time.perf_counter()
        first = run(apart, [loader])
        between = time.perf_counter()
        run(apart, [loader])
        end = time.perf_counter()
    return {
        "passages": first.embedded,
        "passages_per_s": round(first.embedded / first.seconds, 1),
        "first_s": round(between - start, 2),
        "unchanged_s": round(end - between, 2),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(ingest_twice(Settings.model_validate_json(sys.stdin.read()), Path(sys.argv[1]))))
