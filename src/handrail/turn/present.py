"""A turn as the response contract: the same for the API, the command line and evaluations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from handrail.types import Card, Citation, Outcome, Piece, Place, Turn
from handrail.types.usage import Usage


def response(turn: Turn) -> dict[str, Any]:
    """JSON-ready; field names are the public contract (add, never rename)."""
    outcome = turn.outcome
    return {
        "answer": outcome.answer,
        "routing": outcome.routing.value,
        "refused": outcome.refused,
        "refusal_reason": outcome.refusal_reason.value if outcome.refusal_reason else None,
        "disclaimer": outcome.disclaimer,
        "notice": outcome.notice,
        "lang": turn.question.lang,
        "citations": [_citation(citation) for citation in outcome.citations],
        "sources": [{"title": source.title, "url": source.url} for source in outcome.sources],
        "suggestions": list(outcome.suggestions),
        "escalation": {"offer": outcome.escalation.offer.value, "reason": outcome.escalation.reason},
        "confidence": round(outcome.confidence, 4),
        "claims": claims(outcome),
        "factuality": None if outcome.factuality is None else round(outcome.factuality, 4),
        "pieces": [_piece(piece) for piece in outcome.pieces],
        "closest": [_card(card) for card in outcome.closest],
        "related": [
            {"id": one.article_id, "title": one.title, "url": one.url, "relation": one.relation}
            for one in outcome.related
        ],
        "requests": [
            {
                "text": asked.text,
                "label": asked.label.value,
                "routing": asked.routing.value,
                "citations": list(asked.citations),
            }
            for asked in outcome.requests
        ],
        "conversation_id": turn.question.conversation_id,
        "turn_id": turn.question.turn_id,
        "trace_id": turn.trace_id,
        "meta": _meta(turn),
    }


def claims(outcome: Outcome) -> list[dict[str, Any]]:
    """The answer's claims; `citations` are indexes of the outcome's own."""
    index = {citation.passage.id: citation.index for citation in outcome.citations}
    return [
        {
            "id": claim.id,
            "text": claim.text,
            "citations": [index[passage_id] for passage_id in dict.fromkeys(claim.passage_ids) if passage_id in index],
            "support": claim.support,
            "score": None if claim.score is None else round(claim.score, 4),
            "quote": claim.quote,
        }
        for claim in outcome.claims
    ]


def _piece(piece: Piece) -> dict[str, Any]:
    """Offsets count code points, of `markdown` for `answering` and `collapsed_after`, of `answer` for `span`."""
    return {
        "markdown": piece.markdown,
        "title": piece.title,
        "section": piece.section,
        "id": piece.passage_id,
        "article_id": piece.article_id,
        "url": piece.url,
        "answering": list(piece.answering) if piece.answering is not None else None,
        "collapsed_after": piece.collapsed_after,
        "steps": piece.steps,
        "citation": piece.citation,
        "span": list(piece.span) if piece.span is not None else None,
    }


def _card(card: Card) -> dict[str, Any]:
    piece = _piece(card.piece)
    named = {key: piece[key] for key in ("title", "section", "article_id", "url")}
    return {**named, "open": card.open, "piece": piece}


def _citation(citation: Citation) -> dict[str, Any]:
    passage = citation.passage
    return {
        "index": citation.index,
        "id": passage.id,
        "title": passage.title,
        "url": passage.url,
        "excerpt": passage.text,
        "score": citation.score,
        "support": citation.support,
        "quote": citation.quote,
        "quotes": list(citation.quotes),
        "places": [_place(place) for place in passage.places],
    }


def _place(place: Place) -> dict[str, Any]:
    image = asdict(place.image) if place.image is not None else None
    return {"page": place.page, "box": place.box and list(place.box), "image": image}


def _meta(turn: Turn) -> dict[str, Any]:
    classification = turn.classification
    return {
        "classification": {
            "label": classification.label.value,
            "probability": round(classification.probability, 4),
            "by": classification.by,
        },
        "provider": turn.provider,
        "model": turn.model,
        "cached": turn.cached,
        "kb_version": turn.kb_version,
        "attempts": [
            {
                "task": attempt.task,
                "provider": attempt.provider,
                "model": attempt.model,
                "outcome": attempt.outcome,
                "ms": round(attempt.ms, 1),
                "reason": attempt.reason or None,
            }
            for attempt in turn.attempts
        ],
        "degraded": list(turn.degraded),
        "degraded_reasons": dict(turn.reasons),
        "retrieved": turn.retrieved,
        "filters": dict(turn.question.filters),
        "latency_ms": dict(turn.latency_ms),
        "tokens": _tokens(turn.usage),
        "cost_usd": turn.usage.cost_usd,
        "models": {
            model: {"tokens": _tokens(usage), "cost_usd": usage.cost_usd}
            for model, usage in turn.usage_by_model.items()
        },
    }


def _tokens(usage: Usage) -> dict[str, int]:
    return {"input": usage.input_tokens, "output": usage.output_tokens, "cached": usage.cached_tokens}
