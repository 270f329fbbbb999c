"""A question, the turn it became, and the prompt of an LLM call."""

from __future__ import annotations

from itertools import count

from handrail.llm.prompts import RenderedPrompt
from handrail.types import Classification, Label, Outcome, Question, Routing, Turn

CONVERSATION = "6f9619ff-8b86-4d01-b42d-00c04fc964ff"
TRACE_IDS = (f"{number:032x}" for number in count(0xABC0))
SECRETS = ("ann.lee@example.com", "+44 20 7946 0958", "4111 1111 1111 1111")
TEXT = f"I am {SECRETS[0]}, {SECRETS[1]}, my card {SECRETS[2]} was declined"


def new_id() -> str:
    return next(TRACE_IDS)


def question(text: str = TEXT, conversation_id: str = CONVERSATION) -> Question:
    return Question(text, conversation_id, "turn-1")


def finished(asked: Question, trace_id: str, answer: str = "Try another card [1].") -> Turn:
    return Turn(
        question=asked,
        outcome=Outcome(Routing.ANSWERED, answer, confidence=0.9),
        classification=Classification(Label.ANSWERABLE, 0.97, "local"),
        trace_id=trace_id,
        provider="openai-compatible",
        model="gpt-5-mini",
        retrieved=5,
        latency_ms={"total": 90.0},
    )


def prompt(origin: str = "langfuse", version: str = "7", user: str = TEXT) -> RenderedPrompt:
    return RenderedPrompt("answer", "Answer from the passages.", user, version, "0123456789ab", origin)
