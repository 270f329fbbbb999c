"""What the Langfuse SDK and its OpenTelemetry exporter log about a tracer's spans, as that tracer's one notice."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.observe.notice import Notice

LOGGERS = (
    "langfuse",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.trace",
)
EXPLAINED = {
    401: "refused the keys (HTTP 401): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    403: "refused the keys (HTTP 403): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    404: "has no OTLP interface (HTTP 404): check LANGFUSE_HOST; self-hosted it must be 3.22 or newer",
}


class SdkLog:
    """Hears only the threads it was told of: others may log through the same loggers on their own behalf."""

    def __init__(self, notice: Notice) -> None:
        self._notice = notice
        self._sent = False
        self._lost = False
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
        if self._sent and not self._lost:
            self._notice.worked()

    def note(self, record: logging.LogRecord) -> None:
        self._lost = self._lost or record.levelno >= logging.ERROR
        self._notice.failed(_explained(record), "traces are dropped meanwhile, turns go on")


_thread = threading.local()


def _divert(record: logging.LogRecord) -> bool:
    log: SdkLog | None = getattr(_thread, "log", None)
    if log is None or record.levelno < logging.WARNING:
        return True
    log.note(record)
    return False


def _explained(record: logging.LogRecord) -> str:
    """A sentence's rest after the service's name."""
    for argument in record.args if isinstance(record.args, tuple) else ():
        if isinstance(argument, int) and argument in EXPLAINED:
            return EXPLAINED[argument]
        if isinstance(argument, OSError):
            return f"cannot be reached ({type(argument).__name__})"
    return f"got no trace ({record.getMessage()})"
