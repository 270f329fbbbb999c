"""Processes that write an index die, or cannot write: the old one is served on, and the next run finishes."""

from __future__ import annotations

import ctypes
import multiprocessing
import random
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from handrail.assembly import current_index, read_snapshot
from handrail.assembly.index import changing, writing
from handrail.errors import HandrailError
from handrail.knowledge.ingest import BATCH, Ingest
from handrail.settings import Settings, load_settings
from tests.knowledge.articles import Given, HashedWords, article, chunker

KILLS = 20
ARTICLES = BATCH + 10
SEED = 33
WAITS_S = 300.0
"""A bound for a busy machine; nothing is measured by it."""

forking = multiprocessing.get_context("forkserver")
forking.set_forkserver_preload(["handrail.assembly", "handrail.knowledge.ingest"])


def settings_in(folder: Path) -> Settings:
    return load_settings(environ={"HANDRAIL__STORAGE__DATA_DIR": str(folder), "HANDRAIL__KNOWLEDGE__KB": "acme"})


def expected(what: str) -> dict[str, str]:
    return {f"a{number}/0": f"Article {number} {what}." for number in range(ARTICLES)}


def ingest(folder: Path, what: str) -> int:
    """As `handrail ingest`, with an embedder that takes no time; the number of passages embedded."""
    settings = settings_in(folder)
    articles = [article(text, id_.partition("/")[0]) for id_, text in expected(what).items()]
    with writing(settings) as made:
        store = made.store or made.begin()
        job = Ingest(store, chunker(), HashedWords(), lambda: 0.0, place=made)
        report = job.run([Given(*articles)], lambda done, total: None)
        read_snapshot(settings, made.store or store)
        made.publish()
    return report.embedded


def served(folder: Path) -> dict[str, str]:
    with current_index(settings_in(folder)) as store:
        return {passage.id: passage.text for passage in read_snapshot(settings_in(folder), store).passages}


def refused(folder: Path, so_that: Callable[[Path], None], says: Connection) -> None:
    so_that(folder)
    try:
        ingest(folder, "says new things")
    except HandrailError as error:
        says.send(str(error))


def with_a_full_disk(folder: Path) -> None:
    """No file may grow beyond this, which the database does; the signal is ignored, as Python does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def in_a_folder_that_cannot_be_written(folder: Path) -> None:
    """Root may write anywhere, until it has no capabilities."""
    for place in (folder / "kb" / "acme" / "versions", folder / "kb" / "acme"):
        place.chmod(0o555)
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())


@pytest.mark.slow
def test_wherever_a_run_is_killed_the_old_index_is_served_and_the_next_run_finishes(tmp_path: Path) -> None:
    ingest(tmp_path, "says old things")
    start = time.monotonic()
    whole = forking.Process(target=ingest, args=(tmp_path, "says new things"))
    whole.start()
    whole.join(WAITS_S)
    took = time.monotonic() - start
    assert (whole.exitcode, served(tmp_path)) == (0, expected("says new things"))

    drawn, cut_short = random.Random(SEED), 0  # noqa: S311
    for _ in range(KILLS):
        with changing(settings_in(tmp_path)) as versions:
            versions.choose(1)
        process = forking.Process(target=ingest, args=(tmp_path, "says other things"))
        process.start()
        process.join(drawn.random() * took)
        process.kill()
        process.join(WAITS_S)
        found = served(tmp_path)
        cut_short += found == expected("says old things")
        assert found in (expected("says old things"), expected("says other things"))
    assert cut_short

    ingest(tmp_path, "says other things")
    assert served(tmp_path) == expected("says other things")


@pytest.mark.slow
@pytest.mark.parametrize("so_that", [with_a_full_disk, in_a_folder_that_cannot_be_written])
def test_a_run_that_cannot_write_says_so_in_a_line_and_the_old_index_is_served(
    tmp_path: Path, so_that: Callable[[Path], None]
) -> None:
    ingest(tmp_path, "says old things")
    hears, says = forking.Pipe(duplex=False)
    process = forking.Process(target=refused, args=(tmp_path, so_that, says))
    process.start()
    process.join(WAITS_S)

    assert process.exitcode == 0 and hears.poll()
    told = hears.recv()
    assert "\n" not in told and ("stays as it is" in told or "can't be used" in told)
    (tmp_path / "kb" / "acme").chmod(0o755)
    (tmp_path / "kb" / "acme" / "versions").chmod(0o755)
    assert served(tmp_path) == expected("says old things")
    ingest(tmp_path, "says new things")
    assert served(tmp_path) == expected("says new things")
