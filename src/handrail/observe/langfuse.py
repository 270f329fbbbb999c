"""Traces in Langfuse.

A turn is remembered in memory and becomes a trace after it ended, in a background thread, over the OTLP interface that
Langfuse documents. The SDK's own client is not used for this: it fixes tags when a turn begins, before its routing is
known; it redacts and serialises on the event loop; it keeps one client per key for the life of the process; and its
flush has no time limit, so a Langfuse that is away would hold up the shutdown.
"""

from __future__ import annotations

import gzip
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import httpx
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource

from handrail.errors import PermanentError, RetryableError
from handrail.observe.notice import Notice
from handrail.observe.otlp import spans_of
from handrail.observe.outbox import Outbox
from handrail.observe.record import TurnRecord
from handrail.settings import Observe
from handrail.types import Question

TRACES_PATH = "/api/public/otel/v1/traces"
CLOSE_TIMEOUT_S = 3.0
SEND_TIMEOUT_S = 5.0

logger = logging.getLogger(__name__)


class LangfuseTracer:
    """`new_id` gives 32 hexadecimal digits; `clock` returns nanoseconds since 1970."""

    def __init__(self, settings: Observe, new_id: Callable[[], str], clock: Callable[[], int] = time.time_ns) -> None:
        self._new_id = new_id
        self._clock = clock
        self._notice = Notice(logger, f"Langfuse at {settings.langfuse_host}")
        self._endpoint = Endpoint(settings)
        self._outbox: Outbox[TurnRecord] = Outbox(self._deliver, self._failed)

    @contextmanager
    def turn(self, question: Question) -> Iterator[TurnRecord]:
        record = TurnRecord(self._new_id(), question, self._clock)
        try:
            with record.running():
                yield record
        finally:
            if not self._outbox.put(record):
                self._notice.failed("does not keep up", "traces are dropped, turns go on")

    def close(self) -> None:
        """Send what is queued; what Langfuse does not take within three seconds is lost."""
        if not self._outbox.close(CLOSE_TIMEOUT_S):
            self._notice.failed("is too slow", "the last traces are lost")

    def _deliver(self, batch: Sequence[TurnRecord]) -> None:
        self._endpoint.send(batch)
        self._notice.worked()

    def _failed(self, error: Exception) -> None:
        problem = str(error) if isinstance(error, RetryableError | PermanentError) else f"got no trace ({error!r})"
        self._notice.failed(problem, "traces are dropped meanwhile, turns go on")


class Endpoint:
    """Langfuse's OTLP endpoint, protobuf over HTTP. Used by one thread at a time."""

    def __init__(self, settings: Observe) -> None:
        self._url = settings.langfuse_host.rstrip("/") + TRACES_PATH
        self._resource = Resource.create({"service.name": "handrail", "langfuse.environment": settings.environment})
        secret = settings.langfuse_secret_key
        self._auth = httpx.BasicAuth(settings.langfuse_public_key or "", secret.get_secret_value() if secret else "")

    def send(self, batch: Sequence[TurnRecord]) -> None:
        """Raises RetryableError or PermanentError, worded to follow the service's name."""
        spans = [span for record in batch for span in spans_of(record, self._resource)]
        body = gzip.compress(encode_spans(spans).SerializeToString())
        headers = {
            "Content-Type": "application/x-protobuf",
            "Content-Encoding": "gzip",
            "x-langfuse-ingestion-version": "4",
        }
        try:
            response = httpx.post(self._url, content=body, headers=headers, auth=self._auth, timeout=SEND_TIMEOUT_S)
        except httpx.HTTPError as error:
            raise RetryableError(f"cannot be reached ({type(error).__name__})") from error
        raise_for(response)


def raise_for(response: httpx.Response) -> None:
    """Raises RetryableError or PermanentError for anything but success, worded to follow the service's name."""
    status = response.status_code
    if status in (401, 403):
        raise PermanentError(f"refused the keys (HTTP {status}): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
    if status == 404:
        raise PermanentError(
            "has no OTLP interface (HTTP 404): check LANGFUSE_HOST; self-hosted it must be 3.22 or newer"
        )
    if status in (408, 429) or status >= 500:
        raise RetryableError(f"failed (HTTP {status})")
    if not response.is_success:
        raise PermanentError(f"refused a batch (HTTP {status})")
