"""Snapshots on disk: a folder for each generation of a knowledge base.

They are made page by page, so an ingest takes little memory for them, however many passages there are.
"""

from __future__ import annotations

import errno
import json
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path

import numpy as np

from handrail.stores.arrays import Rows, read_floats
from handrail.stores.audience import Audience
from handrail.stores.keyword import KeywordIndex
from handrail.stores.rows import as_row, from_row, sharing
from handrail.stores.snapshot import Snapshot, body, mean
from handrail.stores.store import Page
from handrail.stores.tokens import STEMMERS, tokenize
from handrail.text import language
from handrail.types import Passage

FORMAT = 8
SCRATCH = ".part-"
ABANDONED_S = 86_400
"""Age from which nobody writes there any more."""
KEPT = 3
"""Generations that stay, for who goes back to an earlier version."""
PASSAGES, VECTORS, ARTICLES, LANG, ABOUT = "passages.jsonl", "vectors.npy", "articles.npy", "lang", "format"
WORDS, ARTICLE_WORDS = "bm25", "bm25-articles"


def save(pages: Iterable[Page], folder: Path, generation: str, lang: str | None = None) -> Snapshot:
    """Write beside, then rename: readers see the old or the new one, never half; two processes may save at once.

    `pages` are in article and position order. `lang` is a key of `STEMMERS`; without it, it is told from the passages.
    Only what everyone may read is kept on disk: raises ValueError for a passage that is for agents.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _clear(folder)
    scratch = Path(tempfile.mkdtemp(dir=folder, prefix=SCRATCH))
    try:
        _write(pages, scratch, lang)
        saved = _load(scratch)  # from here, since another process may remove what it finds in its place
        target = folder / generation
        _swap(scratch, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    kept = [other for other in folder.iterdir() if other != target and not other.name.startswith(SCRATCH)]
    for other in sorted(kept, key=_age)[KEPT - 1 :]:
        shutil.rmtree(other, ignore_errors=True)
    return saved


def _clear(folder: Path) -> None:
    """Remove what processes left behind that were killed while they wrote."""
    for left in folder.glob(f"{SCRATCH}*"):
        if time.time() + _age(left) > ABANDONED_S:
            shutil.rmtree(left, ignore_errors=True)


def _write(pages: Iterable[Page], scratch: Path, lang: str | None) -> None:
    """Passages and vectors first: their language is known, and their words are counted, once all have been read."""
    count = _write_passages(pages, scratch)
    lang = lang or _language(scratch, count)
    (scratch / LANG).write_text(lang)
    KeywordIndex.write((one.embedding_text for one in _passages(scratch)), lang, scratch / WORDS)
    articles = groupby(_passages(scratch), key=lambda one: one.article_id)
    KeywordIndex.write((body(list(passages)) for _, passages in articles), lang, scratch / ARTICLE_WORDS)
    (scratch / ABOUT).write_text(str(FORMAT))


def _write_passages(pages: Iterable[Page], scratch: Path) -> int:
    """How many there are."""
    rows = (row for page in pages for row in zip(*page, strict=True))
    with (
        (scratch / PASSAGES).open("w", encoding="utf-8", newline="\n") as lines,
        Rows(scratch / VECTORS, "<f2") as vectors,
        Rows(scratch / ARTICLES, "<f4") as articles,
    ):
        for _, article in groupby(rows, key=lambda row: row[0].article_id):
            passages, found = zip(*article, strict=True)
            if hidden := next((one for one in passages if not Audience.PUBLIC.may_read(one.facets)), None):
                raise ValueError(f"{hidden.id} is for agents and is not kept on disk")
            lines.writelines(json.dumps(as_row(one), ensure_ascii=False) + "\n" for one in passages)
            kept = np.stack(found).astype(np.float16)
            vectors.add(kept)
            articles.add(mean(passages, kept.astype(np.float32))[None])
        return vectors.count


def _passages(scratch: Path) -> Iterator[Passage]:
    with (scratch / PASSAGES).open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield from_row(json.loads(line))


def _language(scratch: Path, count: int) -> str:
    """What most of a sample of the passages is in."""
    sample = islice(_passages(scratch), 0, None, max(1, count // language.SAMPLE))
    found = language.of_articles([one.text for one in islice(sample, language.SAMPLE)])
    return found if found in STEMMERS else language.DEFAULT


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0


def _swap(scratch: Path, target: Path) -> None:
    """Folders cannot be replaced while they hold files, and another process may have put its own there meanwhile."""
    while True:
        try:
            scratch.replace(target)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            shutil.rmtree(target, ignore_errors=True)


def load(folder: Path, generation: str) -> Snapshot | None:
    """None when this generation is not here, is damaged, or was written by another version."""
    path = folder / generation
    try:
        return _load(path) if generation and (path / ABOUT).read_text() == str(FORMAT) else None
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None


def _load(path: Path) -> Snapshot:
    passages, lang = sharing(_passages(path)), (path / LANG).read_text()
    spoken = any(tokenize(one.embedding_text, STEMMERS[lang]) for one in passages)
    keyword, articles = (KeywordIndex.load(path / name, lang) if spoken else None for name in (WORDS, ARTICLE_WORDS))
    return Snapshot(passages, keyword, np.load(path / ARTICLES), read_floats(path / VECTORS), lang, articles)
