"""What one process did, for Prometheus: turns by how they ended, time in stages, and what language models took."""

from __future__ import annotations

import math
from collections.abc import Iterable

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

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


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
        self._ready = self._gauge("handrail_ready", "Whether questions can be answered")
        self._degraded = self._gauge("handrail_degraded", "What doesn't work at the moment", "part")
        self._waiting = self._gauge("handrail_handoffs_waiting", "Conversations that wait for a person")

    def take(self, record: TurnRecord) -> None:
        turn = record.turn
        self._turns.labels(turn.outcome.routing.value if turn is not None else INTERRUPTED).inc()
        if turn is not None:
            self._took(turn)

    def close(self) -> None:
        """Nothing is queued."""

    def text(self, *, ready: bool, degraded: Iterable[str], waiting: int | None) -> bytes:
        """All of it in Prometheus' text format, with the state of the moment; `waiting` is None if it isn't known."""
        self._ready.set(ready)
        self._degraded.clear()
        for part in degraded:
            self._degraded.labels(part).set(1)
        self._waiting.set(math.nan if waiting is None else waiting)
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
