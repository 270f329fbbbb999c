"""A remembered turn as one JSON document: what is stored, shown and compared. Every text in it is scrubbed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from handrail.observe.record import SpanRecord, TurnRecord
from handrail.observe.scrub import scrub, scrub_text
from handrail.text.redact import redact
from handrail.types import Question, Turn
from handrail.types.people import People

Trace = dict[str, Any]

VERSION = 1
INTERRUPTED = "interrupted"
"""The routing of a turn that was cancelled or failed."""
USAGE = {"input": "input_tokens", "output": "output_tokens", "cached": "cached_tokens"}


def document(record: TurnRecord) -> Trace:
    """JSON-ready; fields are added, never renamed. Takes milliseconds: not for the path of a turn."""
    turn, start_ns = record.turn, record.root.start_ns
    stages = [_stage(span, start_ns) for span in record.root.children]
    ended = {"routing": INTERRUPTED, "error": clean(record.root.error)}
    return {
        "version": VERSION,
        "trace_id": record.id,
        "turn_id": record.question.turn_id,
        "conversation_id": record.question.conversation_id,
        "at": start_ns / 1e9,
        "ms": _ms(record.root),
        **record.about,
        "input": _input(record.question, turn),
        "stages": stages,
        "outcome": _outcome(turn) if turn is not None else ended,
        "answered_by": _answered_by(turn, stages),
    }


def every_stage(stages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Stages and what was asked within each, in order."""
    for stage in stages:
        yield stage
        yield from every_stage(stage["stages"])


def clean(value: Any) -> Any:
    """Scrubbed, and as every database stores it: no NUL, no number that is none."""
    return _storable(scrub(value))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _input(question: Question, turn: Turn | None) -> dict[str, Any]:
    known = turn.question if turn is not None else question
    return {
        "text": clean(question.text),
        "redacted": scrub_text(question.text) != question.text,
        "secrets_removed": redact(question.text) != question.text,
        "lang": question.lang,
        "filters": clean(question.filters),
        "suspicious": question.suspicious,
        "history": [clean(asdict(exchange)) for exchange in question.history],
        "follows": question.follows,
        "declined_before": known.declined_before,
        "people": _people(question.people),
        "customer": sorted(known.context),
    }


def _people(people: People) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in asdict(people).items()}


def _stage(span: SpanRecord, start_ns: int) -> dict[str, Any]:
    values = dict(span.values)
    given, output = values.pop("input", None), values.pop("output", None)
    tokens = {name: values.pop(key) for name, key in USAGE.items() if key in values}
    cost = values.pop("cost_usd", None)
    stage: dict[str, Any] = {
        "name": span.name,
        "at_ms": round((span.start_ns - start_ns) / 1e6, 1),
        "ms": _ms(span),
        "input": clean(given),
        "output": clean(output),
        "values": clean(values),
        "stages": [_stage(child, start_ns) for child in span.children],
    }
    if span.prompt is not None:
        prompt = span.prompt
        stage["input"] = [
            {"role": "system", "content": clean(prompt.system)}, {"role": "user", "content": clean(prompt.user)},
        ]  # fmt: skip
        stage["prompt"] = {"name": prompt.name, "origin": prompt.origin, "version": prompt.version}
        stage["prompt"]["digest"] = prompt.digest
    optional = {"model": span.model, "tokens": tokens or None, "cost_usd": cost, "error": clean(span.error)}
    return stage | {name: value for name, value in optional.items() if value is not None}


def _ms(span: SpanRecord) -> float | None:
    """None for what never ended."""
    return None if span.end_ns is None else round((span.end_ns - span.start_ns) / 1e6, 1)


def _outcome(turn: Turn) -> dict[str, Any]:
    result, told = turn.outcome, turn.classification
    return {
        "routing": result.routing.value,
        "refusal_reason": result.refusal_reason.value if result.refusal_reason else None,
        "label": told.label.value,
        "label_probability": round(float(told.probability), 4),
        "label_by": told.by,
        "confidence": round(float(result.confidence), 4),
        "factuality": None if result.factuality is None else round(float(result.factuality), 4),
        "answer": clean(result.answer),
        "citations": [citation.passage.id for citation in result.citations],
        "closest": [card.piece.passage_id for card in result.closest],
        "requests": [
            {"text": clean(asked.text), "label": asked.label.value, "routing": asked.routing.value}
            for asked in result.requests
        ],
        "offer": result.escalation.offer.value,
        "degraded": list(turn.degraded),
    }


def _answered_by(turn: Turn | None, stages: list[dict[str, Any]]) -> dict[str, Any]:
    cached = [stage["tokens"]["cached"] for stage in every_stage(stages) if "cached" in stage.get("tokens", {})]
    return {
        "provider": turn.provider if turn else None,
        "model": turn.model if turn else None,
        "from_cache": turn.cached if turn else False,
        "tokens": {
            "input": turn.usage.input_tokens if turn else 0,
            "output": turn.usage.output_tokens if turn else 0,
            "cached": sum(cached) if cached else None,
        },
        "cost_usd": turn.usage.cost_usd if turn else 0.0,
        "attempts": [asdict(attempt) for attempt in turn.attempts] if turn else [],
        "latency_ms": dict(turn.latency_ms) if turn else {},
    }
