"""Which talks, and the articles of every help centre they are about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from eval.datasets import BadRow, Dataset, DatasetError, Loaded, usable
from eval.datasets.corpus import is_archive, kb_name, root_of, unpacked
from eval.datasets.lines import Line, read_lines
from eval.datasets.talks import SEALED, TALK, TALKS
from eval.provenance import index as indexed
from eval.selection import Selected, Source, index, on, sample_indexed
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from handrail.settings.paths import SAMPLE_KB

DATASETS = TALKS.parent


@dataclass(frozen=True, slots=True)
class TalkSource(Source):
    """Where talks and articles come from, as the command line names it."""

    files: tuple[Path, ...] = ()
    """Files and folders of rows; none is those that ship."""
    corpora: Mapping[str, Path] = field(default_factory=dict)
    """Articles by the name that rows use for their help centre."""
    url: str | None = None
    """A server that is asked instead of this process."""
    alone: bool = False
    sealed: bool = False
    """Measure the rows that are kept for a last look."""


def select(
    command: str, dataset: Dataset[Any], settings: Settings, source: Source, limit: int | None, notes: Console
) -> Selected:
    """Rows read and checked, and every help centre they name indexed apart.

    Raises DatasetError naming what is missing; files that ship without their articles are left out, and said to be.
    """
    given = source if isinstance(source, TalkSource) else TalkSource(file=source.file, kb_given=source.kb_given)
    files = tuple(_files(given, settings))
    loaded = _loaded(dataset, files, limit)
    named = list(dict.fromkeys(case.kb for case in loaded.cases))
    if given.kb_given or given.url is not None:
        asked_of = f"--kb {settings.knowledge.kb}" if given.url is None else given.url
        if len(named) > 1:
            raise DatasetError(
                f"{asked_of} is one help centre, and the rows are of {', '.join(named)}: name one --file"
            )
        caveats: tuple[str, ...] = ()
        bases = {} if given.url is not None else {named[0]: settings}
    else:
        found = {kb: _base(kb, settings, given, notes) for kb in _with_articles(named, given, notes)}
        loaded = replace(loaded, cases=[case for kb in found for case in loaded.cases if case.kb == kb])
        if not loaded.cases:
            raise DatasetError("no talks are left to measure: see what was left out")
        bases = {kb: base for kb, (base, _) in found.items()}
        caveats = tuple(note for _, notes_of in found.values() for note in notes_of)
    about: dict[str, Any] = {"alone": given.alone, "url": given.url}
    about["bases"] = {kb: indexed(base) for kb, base in bases.items()}
    sealed = given.sealed or any(path.name.endswith(SEALED) for path in files)
    first = next(iter(bases.values()), settings)
    return Selected(
        first, loaded, {"talks": about}, caveats, bases=bases, url=given.url, alone=given.alone, sealed=sealed
    )


def default_rows(settings: Settings) -> Loaded[Any]:
    """What is measured where nothing is named."""
    return _loaded(TALK, tuple(_files(TalkSource(), settings)), None)


def _files(given: TalkSource, settings: Settings) -> Iterable[Path]:
    """Raises DatasetError for a folder without rows."""
    chosen = (given.file,) if given.file is not None else given.files
    if not chosen:
        one = settings.knowledge.kb if given.kb_given or given.url is not None else "*"
        chosen = tuple(sorted(TALKS.glob(f"{one}{SEALED}" if given.sealed else f"{one}.dev.jsonl")))
        if not chosen:
            raise DatasetError(f"no talks ship for {one!r}: name a file with --file")
    elif given.sealed:
        raise DatasetError("--sealed measures the sealed rows that ship; it goes without --file")
    for path in chosen:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(item for item in path.glob("*.jsonl") if not item.name.endswith(SEALED))
        if not inside:
            raise DatasetError(f"{path}: holds no .jsonl files of talks")
        yield from inside


def _loaded(dataset: Dataset[Any], files: Sequence[Path], limit: int | None) -> Loaded[Any]:
    """Of several files as of one: lines are counted on, and `limit` holds for each."""
    held, lines = hashlib.sha256(), list[Line | BadRow]()
    seen = 0
    for path in files:
        digest, own = read_lines(path)
        held.update(digest.encode())
        for item in own[:limit]:
            lines.append(_moved(item, seen, path if len(files) > 1 else None))
        seen += max((item.number if isinstance(item, Line) else item.line for item in own), default=0)
    sha256 = read_lines(files[0])[0] if len(files) == 1 else held.hexdigest()
    name = files[0] if len(files) == 1 else files[0].parent / "+".join(path.name.partition(".")[0] for path in files)
    loaded = usable(dataset, name, sha256, lines)
    if any(path.name.endswith(SEALED) for path in files):
        return replace(loaded, bad=[BadRow(row.line, "not a talk") for row in loaded.bad], notes=[])
    return loaded


def _moved(item: Line | BadRow, by: int, path: Path | None) -> Line | BadRow:
    if isinstance(item, Line):
        return Line(item.number + by, item.value)
    return BadRow(item.line + by, f"{path.name} line {item.line}: {item.why}" if path is not None else item.why)


def _with_articles(named: Sequence[str], given: TalkSource, notes: Console) -> list[str]:
    """Raises DatasetError where the rows of a file that was given have none."""
    absent = [kb for kb in named if kb != SAMPLE_KB and _articles(kb, given) is None]
    if absent and (given.files or given.file is not None):
        options = " ".join(f"--corpus {kb}=PATH" for kb in absent)
        raise DatasetError(f"the rows ask help centres whose articles are not here: give {options} (folder or archive)")
    for kb in absent:
        notes.print(f"[yellow]left out[/] {escape(kb)}: its articles do not ship; --corpus {escape(kb)}=PATH")
    return [kb for kb in named if kb not in absent]


def _articles(kb: str, given: TalkSource) -> Path | None:
    if kb in given.corpora:
        return given.corpora[kb]
    folder = DATASETS / kb / "articles"
    return folder if kb.isidentifier() and folder.is_dir() else None


def _base(kb: str, settings: Settings, given: TalkSource, notes: Console) -> tuple[Settings, tuple[str, ...]]:
    """Its settings with its articles indexed, and what must be said with its figures."""
    path = _articles(kb, given)
    if path is None:
        here = on(settings, SAMPLE_KB)
        return here, sample_indexed(here, notes)
    if not path.exists():
        raise DatasetError(f"--corpus {kb}: there is no {path}")
    folder = root_of(unpacked(path, settings) if is_archive(path) else path, about=False)
    here = on(settings, kb_name(path if path.name != "articles" else path.parent))
    loader = Folder(folder, settings.knowledge.url_base, settings.knowledge.max_article_bytes)
    caveats = index(here, loader, notes)
    return here, caveats
