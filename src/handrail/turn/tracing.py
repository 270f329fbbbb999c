"""What a turn's stages came to, as traces show it: plain values, made while the turn runs and read after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handrail.turn.found import Found
from handrail.types import Candidate, Claim, Hit, Request, Sense, Understanding

MOST_SECTIONS = 12
MOST_PASSAGES = 8
EXCERPT = 240
"""Characters of a passage; the rest is in the knowledge base."""

Values = dict[str, Any]


def understood(result: Understanding) -> Values:
    """What the message does and asks for, with probabilities."""
    probe = result.whole.senses[0].probe.understood if result.whole.senses else None
    return {
        "act": result.act.value,
        "acts": probabilities(probe.acts) if probe is not None else {},
        "wants_person": result.wants_person,
        "crisis": result.crisis,
        "depends": number(result.depends),
        "requests": [_request(request) for request in result.requests],
    }


def looked_up(parts: Sequence[Found]) -> list[Values]:
    """For each request what was found for the sense that was chosen, best first, and what may be done with it."""
    return [
        {
            "text": part.request.text,
            "understood_as": part.sense.text,
            "query": part.evidence.query,
            "label": part.label.value,
            "label_before": part.sense.classification.label.value,
            "band": part.band.value,
            "probability": number(part.evidence.probability),
            "unlisted": list(part.evidence.unlisted),
            "sections": [_section(one) for one in part.evidence.sections[:MOST_SECTIONS]],
            "passages": [_passage(hit) for hit in part.evidence.hits[:MOST_PASSAGES]],
        }
        for part in parts
    ]


def claim(made: Claim) -> Values:
    """A claim with its label and what checking it against each passage said."""
    proofs = [{"passage": proof.passage_id, "support": proof.support, "by": proof.by} for proof in made.proofs]
    return {"id": made.id, "text": made.text, "support": made.support, "score": made.score, "proofs": proofs}


def probabilities(given: Mapping[Any, float]) -> dict[str, float]:
    """Likeliest first."""
    ordered = sorted(given.items(), key=lambda item: -item[1])
    return {str(getattr(name, "value", name)): number(value) for name, value in ordered}


def number(value: float) -> float:
    return round(float(value), 4)


def _request(request: Request) -> Values:
    return {"text": request.text, "senses": [_sense(sense) for sense in request.senses]}


def _sense(sense: Sense) -> Values:
    told = sense.classification
    return {
        "text": sense.text,
        "prior": number(sense.prior),
        "carried": sense.carried,
        "label": told.label.value,
        "probability": number(told.probability),
        "by": told.by,
        "rule": told.rule,
        "probabilities": probabilities(told.probabilities),
    }


def _section(one: Candidate) -> Values:
    section = one.section
    return {
        "id": section.id,
        "title": section.path,
        "url": section.url,
        "probability": number(one.probability),
        "signals": {name: number(value) for name, value in one.signals.items()},
    }


def _passage(hit: Hit) -> Values:
    passage = hit.passage
    return {
        "id": passage.id,
        "title": " > ".join((passage.title, *passage.headings)),
        "url": passage.url,
        "excerpt": passage.text[:EXCERPT],
        "final": number(hit.final),
        "dense": number(hit.dense),
        "keyword": number(hit.keyword),
        "fused": number(hit.fused),
        "late": None if hit.late is None else number(hit.late),
        "neighbour": hit.neighbour,
    }
