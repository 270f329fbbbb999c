"""The response contract, field by field."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from handrail.turn import outcome
from handrail.turn.present import response
from handrail.types import Citation, Classification, Label, Outcome, RefusalReason, Related, Turn, Verdict
from handrail.types.usage import Attempt, Usage
from tests.stages import WORDING, ask, passage

PASSAGE = passage("domains:connect/2", "Open Settings.", title="Connect a domain")
ANSWER = outcome.answered(
    "Open Settings [1].", Verdict.FULLY, (Citation(1, PASSAGE, 0.93, "supported"),), 0.912345, ["What next?"]
)
ANSWER = replace(ANSWER, related=[Related("domains:renew", "Renew", "", "next")])


def turn(result: Outcome) -> Turn:
    return Turn(
        question=ask(filters={"section": "domains"}),
        outcome=result,
        classification=Classification(Label.ANSWERABLE, 0.971234, "local"),
        trace_id="t-1",
        provider="llm",
        model="m-1",
        retrieved=5,
        latency_ms={"classify": 3.0, "total": 90.0},
        usage=Usage(120, 30, 0.0004),
        usage_by_model={"m-1": Usage(120, 30, 0.0004)},
        attempts=(Attempt("answer", "llm", "m-1", "stalled", 812.4, "stalled"),),
        degraded=("rewrite",),
        reasons={"rewrite": "timeout"},
    )


def test_an_answer_is_exactly_the_contract() -> None:
    assert response(turn(ANSWER)) == {
        "answer": "Open Settings [1].",
        "routing": "answered",
        "refused": False,
        "refusal_reason": None,
        "disclaimer": None,
        "notice": None,
        "lang": "en",
        "citations": [
            {
                "index": 1,
                "id": "domains:connect/2",
                "title": "Connect a domain",
                "url": "https://help.example/domains:connect",
                "excerpt": "Open Settings.",
                "score": 0.93,
                "support": "supported",
                "quote": None,
                "quotes": [],
                "places": [],
            }
        ],
        "sources": [{"title": "Connect a domain", "url": "https://help.example/domains:connect"}],
        "suggestions": ["What next?"],
        "escalation": {"offer": "none", "reason": None},
        "confidence": 0.9123,
        "claims": [],
        "factuality": None,
        "pieces": [],
        "closest": [],
        "related": [{"id": "domains:renew", "title": "Renew", "url": "", "relation": "next"}],
        "requests": [],
        "conversation_id": "conversation",
        "turn_id": "turn",
        "trace_id": "t-1",
        "meta": {
            "classification": {"label": "answerable", "probability": 0.9712, "by": "local"},
            "provider": "llm",
            "model": "m-1",
            "cached": False,
            "kb_version": "",
            "attempts": [
                {
                    "task": "answer",
                    "provider": "llm",
                    "model": "m-1",
                    "outcome": "stalled",
                    "ms": 812.4,
                    "reason": "stalled",
                }
            ],
            "degraded": ["rewrite"],
            "degraded_reasons": {"rewrite": "timeout"},
            "retrieved": 5,
            "filters": {"section": "domains"},
            "latency_ms": {"classify": 3.0, "total": 90.0},
            "tokens": {"input": 120, "output": 30, "cached": 0},
            "cost_usd": 0.0004,
            "models": {"m-1": {"tokens": {"input": 120, "output": 30, "cached": 0}, "cost_usd": 0.0004}},
        },
    }


def test_a_refusal_names_its_reason_and_whom_to_ask() -> None:
    shown = response(turn(outcome.cannot_answer(RefusalReason.LOW_EVIDENCE, WORDING, 0.2)))

    assert (shown["routing"], shown["refused"], shown["refusal_reason"]) == ("cannot_answer", True, "low_evidence")
    assert shown["escalation"] == {"offer": "button", "reason": "low_evidence"}


@pytest.mark.parametrize("result", [ANSWER, outcome.low_confidence("Text.", (), 0.4, WORDING)])
def test_every_response_is_plain_json_with_the_same_fields(result: Outcome) -> None:
    shown = response(turn(result))

    assert json.loads(json.dumps(shown)) == shown
    assert shown.keys() == response(turn(outcome.unavailable(WORDING))).keys()
