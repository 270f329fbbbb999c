"""What one process did, for Prometheus: requests, turns by how they ended, time in stages, and what models took."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from handrail.observe.record import TurnRecord
from handrail.observe.trace import INTERRUPTED
from handrail.types import Turn

OTHER = "other"
"""The value of a label for what was not foreseen, so that nobody outside decides how many series there are."""
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclass(frozen=True, slots=True)
class Moment:
    """How things stand while somebody looks."""

    ready: bool
    paused: bool = False
    degraded: Mapping[str, datetime] = field(default_factory=dict)
    """What doesn't work, and since when."""
    running: Mapping[str, int] = field(default_factory=dict)
    """What this process works on at the moment, by kind."""
    waiting: Mapping[str, int] = field(default_factory=dict)
    """What waits in this process, by the name of its queue."""
    handoffs: int | None = None
    """Conversations that wait for a person; None if it isn't known."""
    outbox: Mapping[str, int] | None = None
    """Messages that have not been delivered, by state; None if it isn't known."""


class Metrics:
    """A Sink. No name or label holds anything that a visitor wrote or is known by."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._turns = self._counter("handrail_turns", "Turns of the assistant, by how they ended", "routing")
        self._turn_s = Histogram(
            "handrail_turn_seconds", "Time of whole turns", buckets=SECONDS, registry=self._registry
        )
        self._stage_s = Histogram(
            "handrail_stage_seconds", "Time of a turn's stages", ["stage"], buckets=SECONDS, registry=self._registry
        )
        self._cached = self._counter("handrail_answer_cache_hits", "Turns answered with an earlier turn's answer")
        self._calls = self._counter("handrail_llm_calls", "Calls of language models", "provider", "task", "outcome")
        self._failures = self._counter("handrail_llm_failures", "Failed calls, by kind", "provider", "kind")
        self._tokens = self._counter("handrail_llm_tokens", "Tokens of language models", "model", "direction")
        self._usd = self._counter("handrail_llm_cost_usd", "US dollars, by the prices in the settings", "model")
        self._requests = self._counter("handrail_http_requests", "Requests", "route", "method", "status")
        self._request_s = Histogram(
            "handrail_http_request_seconds",
            "Time to the beginning of a response",
            ["route", "method"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._ready = self._gauge("handrail_ready", "Whether questions can be answered")
        self._paused = self._gauge("handrail_paused", "Whether the desk has paused the assistant")
        self._degraded = self._gauge("handrail_degraded", "What doesn't work at the moment", "part")
        self._since = self._gauge("handrail_degraded_since_seconds", "Since when, as seconds since 1970", "part")
        self._running = self._gauge("handrail_in_progress", "What is worked on at the moment", "what")
        self._waiting = self._gauge("handrail_queue_length", "What waits at the moment", "queue")
        self._handoffs = self._gauge("handrail_handoffs_waiting", "Conversations that wait for a person")
        self._outbox = self._gauge("handrail_outbox_messages", "Messages that have not been delivered", "state")

    def take(self, record: TurnRecord) -> None:
        turn = record.turn
        self._turns.labels(turn.outcome.routing.value if turn is not None else INTERRUPTED).inc()
        if turn is not None:
            self._took(turn)

    def close(self) -> None:
        """Nothing is queued."""

    def responded(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request was answered. `route` is a template and `method` one of HTTP's, or OTHER."""
        self._requests.labels(route, method, status).inc()
        self._request_s.labels(route, method).observe(seconds)

    def text(self, moment: Moment) -> bytes:
        """All of it in Prometheus' text format."""
        self._ready.set(moment.ready)
        self._paused.set(moment.paused)
        _show(self._degraded, dict.fromkeys(moment.degraded, 1))
        _show(self._since, {part: since.timestamp() for part, since in moment.degraded.items()})
        _show(self._running, moment.running)
        _show(self._waiting, moment.waiting)
        _show(self._outbox, moment.outbox or {})
        self._handoffs.set(math.nan if moment.handoffs is None else moment.handoffs)
        return generate_latest(self._registry)

    def _took(self, turn: Turn) -> None:
        for stage, ms in turn.latency_ms.items():
            histogram = self._turn_s if stage == "total" else self._stage_s.labels(stage)
            histogram.observe(ms / 1000)
        self._cached.inc(turn.cached)
        for attempt in turn.attempts:
            self._calls.labels(attempt.provider, attempt.task, attempt.outcome).inc()
            if attempt.reason:
                self._failures.labels(attempt.provider, attempt.reason).inc()
        for model, usage in turn.usage_by_model.items():
            self._tokens.labels(model, "input").inc(usage.input_tokens)
            self._tokens.labels(model, "output").inc(usage.output_tokens)
            self._usd.labels(model).inc(usage.cost_usd)

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(name, says, labels, registry=self._registry)

    def _gauge(self, name: str, says: str, *labels: str) -> Gauge:
        return Gauge(name, says, labels, registry=self._registry)


def _show(gauge: Gauge, values: Mapping[str, float]) -> None:
    """These values and no others, by the gauge's one label."""
    gauge.clear()
    for label, value in values.items():
        gauge.labels(label).set(value)
