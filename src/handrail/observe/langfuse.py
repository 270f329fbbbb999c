"""Traces in Langfuse, sent by its SDK.

The SDK's `Langfuse` client is not used around it. It keeps one client per key for the life of the process, so tracing
could not start again after a close, and it uploads whatever looks like a file inside a text before that is masked.
"""

from __future__ import annotations

from langfuse import __version__
from langfuse._client.constants import LANGFUSE_TRACER_NAME
from langfuse._client.span_processor import LangfuseSpanProcessor

from handrail.observe.spans import SpanSink
from handrail.settings import Observe

FLUSH_INTERVAL_S = 1.0
EXPLAINED = {
    401: "refused the keys (HTTP 401): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    403: "refused the keys (HTTP 403): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    404: "has no OTLP interface (HTTP 404): check LANGFUSE_HOST; self-hosted it must be 3.22 or newer",
}


class LangfuseSink(SpanSink):
    def __init__(self, settings: Observe) -> None:
        host, public_key = settings.langfuse_host.rstrip("/"), settings.langfuse_public_key or ""
        super().__init__(f"Langfuse at {host}", settings.environment, EXPLAINED)
        secret = settings.langfuse_secret_key
        processor = LangfuseSpanProcessor(
            public_key=public_key,
            secret_key=secret.get_secret_value() if secret else "",
            base_url=host,
            flush_interval=FLUSH_INTERVAL_S,
            mask_otel_spans=self.masked,
        )
        self.send_by(processor, LANGFUSE_TRACER_NAME, __version__, {"public_key": public_key})
