"""Traces in any OpenTelemetry collector, by OTLP over HTTP: the spans that Langfuse gets, masked by the same code.

Headers, certificates, compression and timeout are read by the exporter from the standard `OTEL_EXPORTER_OTLP_…`
variables, and limits of the queue from `OTEL_BSP_…`.
"""

from __future__ import annotations

from langfuse._client.span_exporter import LangfuseTransformingSpanExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from handrail import __version__
from handrail.observe.spans import SpanSink

FLUSH_INTERVAL_MS = 1000
EXPLAINED = {
    401: "refused the traces (HTTP 401): check OTEL_EXPORTER_OTLP_HEADERS",
    403: "refused the traces (HTTP 403): check OTEL_EXPORTER_OTLP_HEADERS",
    404: "takes no OTLP over HTTP (HTTP 404): check OTEL_EXPORTER_OTLP_ENDPOINT; the usual port is 4318",
}


class OtlpSink(SpanSink):
    def __init__(self, endpoint: str, environment: str) -> None:
        base = endpoint.rstrip("/")
        super().__init__(f"the OpenTelemetry collector at {base}", environment, EXPLAINED)
        exporter = LangfuseTransformingSpanExporter(
            exporter=OTLPSpanExporter(f"{base}/v1/traces"), media_manager=None, mask_otel_spans=self.masked
        )
        self.send_by(BatchSpanProcessor(exporter, schedule_delay_millis=FLUSH_INTERVAL_MS), "handrail", __version__)
