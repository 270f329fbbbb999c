"""What a folder of an index on disk is used for: by one writer or by readers, never both.

A knowledge base's own folder is locked by who writes a version, and a version's by those who read it: they keep it from
being removed.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

from filelock import ReadWriteLock, Timeout

from handrail.errors import IndexBusy, SettingsError

WRITER_WAITS_S = 1.0
READER_WAITS_S = 5.0
"""A writer is refused sooner: others go on for long."""


class IndexLock:
    """Held while the index on disk is open; released at exit of the process whatever happens."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(f"storage.data_dir = {str(folder)!r} can't be used as a folder: {error}") from None
        self._lock = ReadWriteLock(folder / "index.lock", is_singleton=False)
        try:
            if write:
                self._lock.acquire_write(timeout=WRITER_WAITS_S)
            else:
                self._lock.acquire_read(timeout=READER_WAITS_S)
        except Timeout:
            self._lock.close()
            doing = "in use" if write else "being written"
            raise IndexBusy(
                f"the index in {folder} is {doing} by another Handrail process; try again when it is done"
            ) from None
        except (OSError, sqlite3.Error) as error:
            self._lock.close()
            raise SettingsError(f"the index in {folder} can't be used: its lock can't be written ({error})") from None

    def release(self) -> None:
        self._lock.release(force=True)
        self._lock.close()

    def __enter__(self) -> IndexLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
