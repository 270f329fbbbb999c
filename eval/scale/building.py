"""Building an index of generated passages, each stage in a process of its own so that its memory is its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from eval.scale.apart import MB, Figures, Says, peak_mb
from eval.scale.generated import PER_ARTICLE, Generated
from handrail.assembly import read_snapshot
from handrail.assembly.fitted import kb_folder
from handrail.assembly.index import Writing, writing
from handrail.assembly.models import build_embedder
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.ingest import Ingest
from handrail.settings import Settings
from handrail.stores.keyword import KeywordIndex
from handrail.stores.snapshot_files import WORDS
from handrail.types import Vectors

GENERATION = "scale"
KEYWORDS = "keywords"
TOLD = 20 * 1024
"""Passages between two lines of progress."""
ENCODED = 64
"""Passages that are encoded in earnest."""


class Encoder:
    """The encoder of the settings, whose work is measured on a few passages; the vectors are generated."""

    def __init__(self, settings: Settings, generated: Generated) -> None:
        self._real = build_embedder(settings)
        self.count = self._real.count
        self._rows = (row for block in generated.vectors() for row in block)
        self.per_s = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not self.per_s:
            start = time.perf_counter()
            self._real.embed_passages(texts[:ENCODED])
            self.per_s = min(ENCODED, len(texts)) / (time.perf_counter() - start)
        return np.stack([next(self._rows) for _ in texts])


def ingest(settings: Settings, count: int, says: Says) -> Figures:
    """As `handrail ingest` does it: loader, chunker, encoder (but see `Encoder`), store, snapshot, publishing."""
    start = time.perf_counter()
    with writing(settings, needed=False) as made:
        encoded_per_s = _written(settings, made, Generated(count), says)
        written, store_mb = time.perf_counter(), peak_mb()
        says("making the keyword index")
        read_snapshot(settings, made.begin())
        made.publish()
    ended = time.perf_counter()
    return {
        "store_s": written - start,
        "snapshot_s": ended - written,
        "store_mb": store_mb,
        "build_mb": peak_mb(),
        "keywords_disk_mb": _mb(*kb_folder(settings, settings.knowledge.kb).glob(f"snapshot/*/{WORDS}")),
        "encoded_per_s": encoded_per_s,
    }


def _written(settings: Settings, made: Writing, generated: Generated, says: Says) -> float:
    """Passages a second that the encoder takes."""

    def told(done: int, total: int) -> None:
        if not done % TOLD:
            says(f"{done:,} of {total:,} passages written")

    encoder = Encoder(settings, generated)
    chunker = Chunker(settings.knowledge, encoder.count)
    report = Ingest(made.begin(), chunker, encoder.embed, time.monotonic, place=made).run([generated], told)
    if report.passages != generated.count:
        raise AssertionError(f"{report.passages} passages, not {generated.count}: articles are cut otherwise")
    return encoder.per_s


def write(settings: Settings, count: int, says: Says) -> Figures:
    """The store alone, passages and vectors as they are generated."""
    start, generated = time.perf_counter(), Generated(count)
    with writing(settings, needed=False) as made:
        store = made.begin()
        store.begin()
        done = 0
        for passages, vectors in zip(generated.passages(), generated.vectors(), strict=True):
            store.write(passages, vectors, ["d"] * len(passages), [PER_ARTICLE] * len(passages))
            done += len(passages)
            if not done % 20_000:
                says(f"{done:,} of {count:,} passages written")
        filled, filled_mb = time.perf_counter(), peak_mb()
        says("making the vectors ready for search")
        store.finish(GENERATION)
        ended = time.perf_counter()
        made.publish()
    return {"store_s": ended - start, "finish_s": ended - filled, "filled_mb": filled_mb, "build_mb": peak_mb()}


def keywords(settings: Settings, count: int, says: Says) -> Figures:
    """The keyword index of all passages, alone."""
    start = time.perf_counter()

    def told(texts: Iterator[str]) -> Iterator[str]:
        for done, text in enumerate(texts):
            if not done % 50_000:
                says(f"{done:,} of {count:,} texts read for the keyword index")
            yield text

    folder = keywords_of(settings)
    KeywordIndex.write(told(Generated(count).texts()), "en", folder)
    return {"keywords_s": time.perf_counter() - start, "keywords_mb": peak_mb(), "keywords_disk_mb": _mb(folder)}


def _mb(*folders: Path) -> float:
    """Of their files."""
    return sum(path.stat().st_size for folder in folders for path in folder.iterdir()) / MB


def keywords_of(settings: Settings) -> Path:
    return kb_folder(settings, settings.knowledge.kb) / KEYWORDS
