"""What OpenTelemetry's exporter and the Langfuse SDK log about a tracer's spans, as that tracer's one notice."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from handrail.observe.notice import Notice

LOGGERS = (
    "langfuse",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.trace",
)


class SdkLog:
    """Hears only the threads it was told of: others may log through the same loggers on their own behalf."""

    def __init__(self, notice: Notice, explained: Mapping[int, str]) -> None:
        """`explained` gives, by HTTP status, the rest of a sentence that begins with the service's name."""
        self._notice = notice
        self._explained = explained
        self._sent = False
        self._lost = False
        self._over = False
        for name in LOGGERS:
            logging.getLogger(name).addFilter(_divert)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Within it this thread works for the tracer."""
        before = getattr(_thread, "log", None)
        _thread.log = self
        try:
            yield
        finally:
            _thread.log = before

    def batch_begins(self) -> None:
        """This thread sends a batch now, and does nothing else from here on."""
        _thread.log = self
        self.batch_ended()
        self._sent, self._lost = True, False

    def batch_ended(self) -> None:
        """The SDK does not say that a batch arrived; it only logs an error when one did not."""
        if self._sent and not self._lost and not self._over:
            self._notice.worked()

    def end(self) -> None:
        """What is still under way is given up: that it fails says nothing new of the service."""
        self._over = True

    def note(self, record: logging.LogRecord) -> None:
        if self._over:
            return
        self._lost = self._lost or record.levelno >= logging.ERROR
        self._notice.failed(self._says(record), "traces are dropped meanwhile, turns go on")

    def _says(self, record: logging.LogRecord) -> str:
        for argument in record.args if isinstance(record.args, tuple) else ():
            if isinstance(argument, int) and argument in self._explained:
                return self._explained[argument]
            if isinstance(argument, OSError):
                return f"cannot be reached ({type(argument).__name__})"
        return f"got no trace ({record.getMessage()})"


_thread = threading.local()


def _divert(record: logging.LogRecord) -> bool:
    log: SdkLog | None = getattr(_thread, "log", None)
    if log is None or record.levelno < logging.WARNING:
        return True
    log.note(record)
    return False
