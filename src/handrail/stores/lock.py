"""Chroma on disk belongs to one writer or to readers, never both: `chromadb.PersistentClient` is not process-safe."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from filelock import ReadWriteLock, Timeout

from handrail.errors import IndexBusy, SettingsError

WRITER_WAITS_S = 1.0
READER_WAITS_S = 5.0
"""A writer is refused sooner: readers, such as a server, go on for long."""


class IndexLock:
    """Held while the index on disk is open; released at exit of the process whatever happens."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(f"storage.data_dir = {str(folder)!r} can't be used as a folder: {error}") from None
        self._folder = folder
        self._write = write
        self._acquire()

    def _acquire(self) -> None:
        self._lock = ReadWriteLock(self._folder / "index.lock", is_singleton=False)
        try:
            if self._write:
                self._lock.acquire_write(timeout=WRITER_WAITS_S)
            else:
                self._lock.acquire_read(timeout=READER_WAITS_S)
        except Timeout:
            self._lock.close()
            raise IndexBusy(self._advice(self._folder)) from None

    def _advice(self, folder: Path) -> str:
        if self._write:
            return (
                f"the index in {folder} is in use by another Handrail process (a server?). Stop it first, "
                "or run a Chroma server and set CHROMA_URL: then both can run at once"
            )
        return f"the index in {folder} is being written by another Handrail process; try again when it is done"

    def acquire_again(self) -> None:
        """After a release that was only meant for a while. Raises IndexBusy."""
        self._acquire()

    def release(self) -> None:
        self._lock.release(force=True)
        self._lock.close()

    def __enter__(self) -> IndexLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
