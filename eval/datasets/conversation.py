"""Conversations: what the last message needs, said in full."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval.datasets import SAMPLE, Articles, Case, Dataset

VISITOR = ("visitor", "user", "human", "customer")


class Said(BaseModel):
    """One message of a transcript."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    role: Literal["visitor", "assistant"] = "visitor"
    text: str
    needs: str | None = None
    """The message as it would be asked without the conversation; such a turn is measured too, not only the last."""
    kind: str | None = None
    article_ids: Articles = ()


class ConversationCase(Case):
    turns: tuple[Said, ...] = Field(min_length=1)
    """Oldest first; plain strings are the visitor's. What the assistant said takes the place of its own answer."""
    last_needs: str
    """The last message as it would be asked without the conversation."""
    kind: str | None = None
    article_ids: Articles = ()

    @field_validator("turns", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return [_said(turn) for turn in value] if isinstance(value, list) else value

    @field_validator("turns")
    @classmethod
    def _ends_with_visitor(cls, value: tuple[Said, ...]) -> tuple[Said, ...]:
        if value[-1].role != "visitor":
            raise ValueError("the last turn must be the visitor's")
        return value


def _said(turn: Any) -> Any:
    if isinstance(turn, str):
        return {"text": turn}
    if isinstance(turn, dict):
        role = str(turn.get("role", "visitor")).casefold()
        said = {"role": "visitor" if role in VISITOR else "assistant", "text": turn.get("text", turn.get("content"))}
        return said | {name: turn[name] for name in ("needs", "kind", "article_ids") if name in turn}
    return turn


CONVERSATION = Dataset("conversation", ConversationCase, SAMPLE / "conversation.jsonl", "last_needs")
