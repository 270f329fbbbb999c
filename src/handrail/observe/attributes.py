"""A remembered turn as the span attributes that the Langfuse SDK defines.

Texts are packed as JSON, whatever they hold, so that `mask` can take them apart again outside the turn. Nothing here
is fit to be sent: it is not masked yet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from langfuse import LangfuseOtelSpanAttributes as Attribute
from langfuse._utils.serializer import EventSerializer

from handrail.llm.prompts import RenderedPrompt
from handrail.observe.record import SpanRecord, TurnRecord
from handrail.types import Routing

SESSION_ID = re.compile(r"[A-Za-z0-9_.:-]{1,200}")
"""What Langfuse takes as a session id, less the characters of e-mail addresses."""
KINDS = {"retrieve": "retriever", "relevance_gate": "guardrail", "critique": "evaluator"}
"""Langfuse's observation types; other stages are plain spans."""
USAGE = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")

Attributes = dict[str, str | int | bool | list[str]]


def shared_attributes(record: TurnRecord) -> Attributes:
    """Session, name and tags, for every span: Langfuse filters single observations by them."""
    turn = record.turn
    tags = [turn.outcome.routing.value, turn.classification.label.value] if turn else ["interrupted"]
    return {
        Attribute.TRACE_NAME: "turn",
        Attribute.TRACE_SESSION_ID: _session(record.question.conversation_id),
        Attribute.TRACE_TAGS: list(dict.fromkeys(tags)),
    }


def root_attributes(record: TurnRecord) -> Attributes:
    question, turn = record.question, record.turn
    attributes: Attributes = {
        Attribute.OBSERVATION_TYPE: "span",
        Attribute.OBSERVATION_INPUT: _packed(question.text),
        **_metadata({"turn_id": question.turn_id, "lang": question.lang, "suspicious": question.suspicious}),
        **_metadata(record.about),
        **_level(record.root),
    }
    if turn is None:
        return attributes
    outcome = turn.outcome
    if outcome.routing is Routing.UNAVAILABLE:
        attributes[Attribute.OBSERVATION_LEVEL] = "WARNING"
    attributes[Attribute.OBSERVATION_OUTPUT] = _packed(outcome.answer)
    return attributes | _metadata(
        {
            "routing": outcome.routing,
            "refusal_reason": outcome.refusal_reason,
            "label": turn.classification.label,
            "label_probability": turn.classification.probability,
            "label_by": turn.classification.by,
            "confidence": outcome.confidence,
            "retrieved": turn.retrieved,
            "citations": [citation.passage.id for citation in outcome.citations],
            "provider": turn.provider,
            "model": turn.model,
            "cached": turn.cached,
            "degraded": dict(turn.reasons),
            "latency_ms": turn.latency_ms,
        }
    )


def observation_attributes(span: SpanRecord) -> Attributes:
    """Those of a stage or an LLM call."""
    values = dict(span.values)
    given, output = values.pop("input", None), values.pop("output", None)
    attributes: Attributes = {Attribute.OBSERVATION_TYPE: KINDS.get(span.name, "span"), **_level(span)}
    if span.prompt is not None:
        attributes |= _generation(span.prompt, span.model, {key: values.pop(key, None) for key in USAGE})
    if given is not None:
        attributes[Attribute.OBSERVATION_INPUT] = _packed(given)
    if output is not None:
        attributes[Attribute.OBSERVATION_OUTPUT] = _packed(output)
    return attributes | _metadata(values)


def _session(conversation_id: str) -> str:
    """The conversation's id; a digest where it is a text of the caller's that may hold anything."""
    if SESSION_ID.fullmatch(conversation_id):
        return conversation_id
    return sha256(conversation_id.encode()).hexdigest()[:32]


def _generation(prompt: RenderedPrompt, model: str | None, usage: Mapping[str, Any]) -> Attributes:
    messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
    attributes: Attributes = {
        Attribute.OBSERVATION_TYPE: "generation",
        Attribute.OBSERVATION_MODEL: model or "",
        Attribute.OBSERVATION_INPUT: _packed(messages),
        **_metadata({"prompt": f"{prompt.name} {prompt.origin} {prompt.version} {prompt.digest}"}),
    }
    if prompt.origin == "langfuse" and prompt.version.isdigit():
        attributes[Attribute.OBSERVATION_PROMPT_NAME] = prompt.name
        attributes[Attribute.OBSERVATION_PROMPT_VERSION] = int(prompt.version)
    tokens = {
        "input": usage["input_tokens"], "output": usage["output_tokens"], "input_cached_tokens": usage["cached_tokens"],
    }  # fmt: skip
    if any(count is not None for count in tokens.values()):
        attributes[Attribute.OBSERVATION_USAGE_DETAILS] = json.dumps({k: v for k, v in tokens.items() if v is not None})
    if usage["cost_usd"] is not None:
        attributes[Attribute.OBSERVATION_COST_DETAILS] = json.dumps({"total": usage["cost_usd"]})
    return attributes


def _level(span: SpanRecord) -> Attributes:
    if span.error is None:
        return {}
    return {Attribute.OBSERVATION_LEVEL: "ERROR", Attribute.OBSERVATION_STATUS_MESSAGE: _packed(span.error)}


def _metadata(values: Mapping[str, Any]) -> Attributes:
    prefix = Attribute.OBSERVATION_METADATA
    return {f"{prefix}.{key}": _packed(value) for key, value in values.items() if value is not None}


def _packed(value: Any) -> str:
    return json.dumps(value, cls=EventSerializer)
