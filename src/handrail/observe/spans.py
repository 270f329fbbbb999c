"""Traces as OpenTelemetry spans, to whatever a span processor sends them to.

A turn comes here when it has ended: tags follow its routing, which is known only then.
From there on the processor owns queue, batches, background thread, endpoint, keys and retries.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping

from langfuse import LangfuseOtelSpanAttributes, MaskOtelSpansParams, MaskOtelSpansResult
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Status, StatusCode, set_span_in_context

from handrail.observe.attributes import Attributes, observation_attributes, root_attributes, shared_attributes
from handrail.observe.mask import mask
from handrail.observe.notice import Notice
from handrail.observe.record import SpanRecord, TurnRecord
from handrail.observe.sdk_log import SdkLog

CLOSE_TIMEOUT_S = 3.0

logger = logging.getLogger(__name__)


class SpanSink:
    """A Sink. The ids of its traces are 32 hexadecimal digits."""

    def __init__(self, service: str, environment: str, explained: Mapping[int, str]) -> None:
        """`service` is the subject of a sentence; `explained` says what HTTP statuses of it mean."""
        self._closed = False
        self._notice = Notice(logger, service)
        self._sdk_log = SdkLog(self._notice, explained)
        self._ids = TurnIds()
        unlimited = SpanLimits.UNSET
        # A provider of its own: the process's global one, and what else reports to it, stay untouched.
        self._provider = TracerProvider(
            resource=Resource.create(
                {
                    "service.name": os.environ.get("OTEL_SERVICE_NAME", "handrail"),
                    LangfuseOtelSpanAttributes.ENVIRONMENT: environment,
                }
            ),
            shutdown_on_exit=False,
            id_generator=self._ids,
            # A text cut before it is masked could end inside a card number.
            span_limits=SpanLimits(max_attribute_length=unlimited, max_span_attribute_length=unlimited),
        )

    def send_by(
        self, processor: BatchSpanProcessor, name: str, version: str, attributes: Mapping[str, str] | None = None
    ) -> None:
        """`name`, `version` and `attributes` are those of the instrumentation scope."""
        self._exporter = processor.span_exporter
        self._provider.add_span_processor(processor)
        self._spans = self._provider.get_tracer(name, version, attributes=attributes)

    def masked(self, *, params: MaskOtelSpansParams) -> MaskOtelSpansResult:
        """Called in the processor's own thread, with each batch it is about to send."""
        self._sdk_log.batch_begins()
        return mask(params)

    def take(self, record: TurnRecord) -> None:
        if self._closed:
            self._notice.failed("gets no more traces, because tracing was stopped", "turns go on")
            return
        try:
            with self._sdk_log.listening():
                self._ids.announced(record.id)
                end_ns = record.root.end_ns or record.root.start_ns
                self._emit(record.root, root_attributes(record), shared_attributes(record), Context(), end_ns)
        except Exception as error:
            self._notice.failed(f"got no trace ({type(error).__name__})", "turns go on")

    def close(self) -> None:
        """Send what is queued; what is not taken within three seconds is lost."""
        if self._closed:
            return
        self._closed = True
        closing = threading.Thread(target=self._shut_down, name="handrail-traces-close", daemon=True)
        closing.start()
        closing.join(CLOSE_TIMEOUT_S)
        if closing.is_alive():
            self._notice.failed("is too slow", "the last traces are lost")
            self._sdk_log.end()
            # Otherwise its thread tries again for some seconds more.
            self._exporter.shutdown()

    def _emit(self, span: SpanRecord, own: Attributes, shared: Attributes, parent: Context, turn_end_ns: int) -> None:
        started = self._spans.start_span(
            span.name, context=parent, attributes={**shared, **own}, start_time=span.start_ns
        )
        if span.error is not None:
            started.set_status(Status(StatusCode.ERROR))
        inside = set_span_in_context(started, Context())
        for child in span.children:
            self._emit(child, observation_attributes(child), shared, inside, turn_end_ns)
        started.end(span.end_ns or turn_end_ns)

    def _shut_down(self) -> None:
        with self._sdk_log.listening():
            self._provider.shutdown()
        self._sdk_log.batch_ended()


class TurnIds(RandomIdGenerator):
    """Gives a trace the id that its turn already told the caller."""

    def __init__(self) -> None:
        self._announced = threading.local()

    def announced(self, trace_id: str) -> None:
        """`trace_id` is that of the next trace begun in this thread."""
        self._announced.id = int(trace_id, 16)

    def generate_trace_id(self) -> int:
        return int(self._announced.id)
