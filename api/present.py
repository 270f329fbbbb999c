"""From a turn to the response that is sent, and stored for repeated turn ids."""

from __future__ import annotations

from api import schemas
from handrail.types import Citation, Turn


def response_of(turn: Turn) -> schemas.AskResponse:
    outcome = turn.outcome
    return schemas.AskResponse(
        answer=outcome.answer,
        routing=outcome.routing,
        refused=outcome.refused,
        refusal_reason=outcome.refusal_reason,
        disclaimer=outcome.disclaimer,
        citations=[_citation(citation) for citation in outcome.citations],
        sources=[schemas.Source(title=source.title, url=source.url) for source in outcome.sources],
        suggestions=list(outcome.suggestions),
        escalation=schemas.Escalation(offer=outcome.escalation.offer, reason=outcome.escalation.reason),
        confidence=outcome.confidence,
        conversation_id=turn.question.conversation_id,
        turn_id=turn.question.turn_id,
        trace_id=turn.trace_id,
        meta=_meta(turn),
    )


def _citation(citation: Citation) -> schemas.Citation:
    passage = citation.passage
    return schemas.Citation.model_validate(
        {
            "index": citation.index,
            "id": passage.id,
            "title": passage.title,
            "url": passage.url,
            "excerpt": passage.text,
            "score": citation.score,
            "support": citation.support,
        }
    )


def _meta(turn: Turn) -> schemas.Meta:
    classification = turn.classification
    return schemas.Meta(
        classification=schemas.Classification(
            label=classification.label, probability=classification.probability, by=classification.by
        ),
        provider=turn.provider,
        model=turn.model,
        retrieved=turn.retrieved,
        filters=dict(turn.question.filters),
        latency_ms=dict(turn.latency_ms),
        tokens=schemas.Tokens(input=turn.usage.input_tokens, output=turn.usage.output_tokens),
        cost_usd=turn.usage.cost_usd,
    )
