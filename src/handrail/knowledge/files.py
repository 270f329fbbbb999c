"""The files of a folder that hold articles: links that lead out of it, and what is no plain file, are left alone."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from handrail.errors import KnowledgeError
from handrail.knowledge import Skipped

PAGES = ".pages"
"""Ends the name of a folder that holds pictures of the pages of the parsed document beside it."""
OWN = "kb/*/snapshot"
"""Is in a data folder, which stands among the articles where they are indexed from their own folder."""
NAMED = 3
"""Files of one kind that are named where that kind isn't read."""
MOST_WAYS = 8
"""Times that one folder is read under different names; links to links could name it without end."""
REORDERING = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
"""Unicode's bidirectional marks, with which a name is read as another."""


def files_in(root: Path, suffixes: Collection[str]) -> Iterator[Path | Skipped]:
    """Plain files under `root` by the lower-case ends of their names, in the order of their paths.

    Hidden files and folders are left out without a word. Links are followed while they stay in the folder: what they
    lead to may be hidden.
    """
    return Walk(root, suffixes).files()


def plain_file(path: Path, most_bytes: int) -> bytes:
    """What is in a file. Raises KnowledgeError for what is no plain file or larger, OSError as the system does.

    The file that is opened is the one that is looked at: neither a pipe nor a link put in its place is read.
    """
    descriptor = os.open(path.resolve(), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise KnowledgeError(_kind(found.st_mode))
        if found.st_size > most_bytes:
            raise KnowledgeError(f"{found.st_size} bytes is more than knowledge.max_article_bytes = {most_bytes}")
        return opened.read(most_bytes + 1)[:most_bytes]


def printable(path: Path | str) -> str:
    """A path in one line that no terminal or log takes for anything else."""
    return "".join(c if not _misleads(c) else c.encode("unicode_escape").decode() for c in str(path))


def named(root: Path, why: str, paths: Sequence[Path]) -> Skipped:
    """One line for files that are skipped for one reason: how many, and the names of some."""
    names = [printable(path.relative_to(root)) for path in paths[:NAMED]]
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return Skipped(printable(root), f"{len(paths)} {why}: {', '.join(names)}{more}")


class Walk:
    """As `files_in`, and afterwards what else there was."""

    def __init__(self, root: Path, suffixes: Collection[str], beside: str = "") -> None:
        """`beside` ends the names of files that say something of the file they are named after."""
        self._root = root
        self._beside = beside
        self._real_root = root.resolve()
        self._suffixes = suffixes
        self._ways: Counter[Path] = Counter()
        self._others: dict[str, list[Path]] = {}

    def files(self) -> Iterator[Path | Skipped]:
        return self._below(self._root, (self._real_root,))

    def others(self) -> Iterator[Skipped]:
        """Files of other kinds that `files` has passed by: one line for each kind, with their number and some names."""
        for suffix, paths in sorted(self._others.items()):
            files = "files" if len(paths) > 1 else "file"
            yield named(
                self._root, f"{suffix} {files} not read" if suffix else f"{files} without a suffix not read", paths
            )

    def _below(self, folder: Path, above: tuple[Path, ...]) -> Iterator[Path | Skipped]:
        """`above` are the real folders on the way to this one, and itself."""
        try:
            names = sorted(entry.name for entry in os.scandir(folder))
        except OSError as error:
            yield Skipped(printable(folder), f"can't read the folder: {error.strerror}")
            return
        for name in names:
            if not name.startswith("."):
                yield from self._entry(folder / name, above)

    def _entry(self, path: Path, above: tuple[Path, ...]) -> Iterator[Path | Skipped]:
        wanted = path.suffix.lower() in self._suffixes
        if self._beside and path.suffix == self._beside and Path(path.stem).suffix.lower() in self._suffixes:
            return
        if not wanted and not path.is_symlink() and not path.is_dir():
            kind = printable(path.suffix.lower())
            self._others.setdefault(kind, []).append(path)
            return
        if any(map(_misleads, path.name)):
            yield Skipped(printable(path), "its name contains control characters or isn't UTF-8; rename it")
            return
        try:
            real = path.resolve(strict=True)
            mode = real.stat().st_mode
        except (OSError, RuntimeError):
            if wanted:
                yield Skipped(str(path), "a broken or circular link, or an unreadable file")
            return
        if stat.S_ISDIR(mode):
            yield from self._folder(path, real, above)
        elif wanted:
            yield path if stat.S_ISREG(mode) and self._inside(real) else Skipped(str(path), self._why(real, mode))

    def _folder(self, path: Path, real: Path, above: tuple[Path, ...]) -> Iterator[Path | Skipped]:
        if path.suffix == PAGES and path.with_suffix(".json").is_file():
            return  # pictures of its pages
        self._ways[real] += 1
        if not self._inside(real):
            yield Skipped(str(path), self._why(real, stat.S_IFDIR))
        elif real in above:
            yield Skipped(str(path), "a link to a folder that contains it")
        elif self._ways[real] > MOST_WAYS:
            yield Skipped(str(path), f"more than {MOST_WAYS} paths lead to this folder")
        elif next(real.glob(OWN), None):
            yield Skipped(printable(path), "holds indexes that Handrail made, not articles")
        else:
            yield from self._below(path, (*above, real))

    def _inside(self, real: Path) -> bool:
        return real.is_relative_to(self._real_root)

    def _why(self, real: Path, mode: int) -> str:
        if not self._inside(real):
            return "a link out of the article folder; copy the file into the folder instead"
        return _kind(mode)


def _kind(mode: int) -> str:
    named = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return f"{named.get(stat.S_IFMT(mode), 'a folder or other thing')}, not a plain file"


def _misleads(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or (
        unicodedata.bidirectional(character) in REORDERING
    )
