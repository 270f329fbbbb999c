"""What goes in and out, field by field: the contract with the widget and with every other client."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.fields import (
    VISIBLE,
    Code,
    ContextToken,
    ConversationId,
    Email,
    FilterBy,
    Language,
    Lenient,
    Number,
    ProjectKey,
    Said,
)
from handrail.types.filters import Filters


class AskRequest(Lenient):
    """One message of a visitor. The bare `question` is always enough."""

    question: str = Field(
        description="What the visitor wrote. Control characters are dropped and runs of spaces become one before it is "
        "measured.",
        examples=["How do I connect my own domain?"],
        json_schema_extra={"pattern": VISIBLE, "minLength": 1, "maxLength": 4000},
    )
    conversation_id: ConversationId | None = Field(
        None, description="The conversation to go on with; left out, a new one begins.", examples=["c-8f14e45f"]
    )
    turn_id: UUID | None = Field(
        None,
        description="Made by the client once per question. Sent again, for instance after a lost connection, it "
        "returns the stored result and is not counted again.",
        examples=["0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"],
    )
    follows: UUID | None = Field(
        None,
        description="The turn that this message goes on from, for a question that was edited or asked again: later "
        "turns are then not known. Null opens the conversation anew; left out, it goes on from the latest turn.",
        examples=["4a8f1f0e-52f7-4d0c-8f57-0a8a3c2f1b22"],
    )
    filters: FilterBy = Field(
        {},
        description="Only articles for which all of these hold. Several values of one key are alternatives.",
        examples=[{"tags": ["billing", "store"], "updated_from": "2026-01-01"}],
    )
    project_key: ProjectKey | None = Field(
        None, description="The same as the filter of that name, by itself.", examples=["store"]
    )
    lang: Language | None = Field(None, description="Language of the visitor, as a language tag.", examples=["en"])
    context_token: ContextToken = None
    context: Said = Field({})

    @property
    def chosen_by(self) -> Filters:
        """All filters, the project's with the others. One that is in both places counts as it is in `filters`."""
        alone = {"project_key": self.project_key} if self.project_key is not None else {}
        return {**alone, **self.filters}

    @property
    def branches_from(self) -> str | None:
        """As `Question.follows`: empty for an explicit null, None where nothing was said."""
        if "follows" not in self.model_fields_set:
            return None
        return str(self.follows) if self.follows is not None else ""


class StopRequest(Lenient):
    """Which turn is to be stopped."""

    turn_id: UUID = Field(description="The turn's id.", examples=["0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"])


class StopResponse(BaseModel):
    """Whether generation was cancelled; false when the turn was over, or not known."""

    turn_id: str = Field(examples=["0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"])
    stopped: bool


class Proof(BaseModel):
    """A solved challenge, as ALTCHA's clients send it."""

    algorithm: Literal["SHA-256"]
    challenge: str = Field(pattern=r"^[0-9a-f]{64}$")
    number: int = Field(ge=0, le=10_000_000)
    salt: str = Field(max_length=200)
    signature: str = Field(pattern=r"^[0-9a-f]{64}$")


class VisitorRequest(Lenient):
    """Who the visitor was, if he has been here before."""

    token: str | None = Field(None, max_length=600, description="A token that is valid or has run out lately.")
    proof: Proof | None = Field(
        None, description="The solution of the challenge that a new visitor was refused with, where one is asked for."
    )


class VisitorResponse(BaseModel):
    """A visitor with a fresh token."""

    visitor_id: str = Field(examples=["5f0c9e2b7d1a4c335f0c9e2b7d1a4c33"])
    token: str = Field(description="Send it as `Authorization: Bearer …`.")
    expires_in: int = Field(description="Seconds until it runs out.", examples=[900])


class FeedbackRequest(Lenient):
    """What a visitor thinks of an answer."""

    turn_id: UUID = Field(examples=["0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"])
    conversation_id: ConversationId = Field(examples=["c-8f14e45f"])
    rating: Literal["up", "down"]
    reason: Literal["wrong", "incomplete", "unrelated", "unclear", "other"] | None = None
    comment: str | None = Field(None, max_length=2000, examples=["The button is not there."])


class FeedbackResponse(BaseModel):
    """It is on record."""

    turn_id: str
    rating: Literal["up", "down"]


class TranscriptRequest(Lenient):
    """Where a transcript should go."""

    email: Email = Field(min_length=3)
    code: Code | None = Field(None, description="The code that was sent to this address, once it has arrived.")


class TypingRequest(Lenient):
    """Somebody is writing, or has stopped."""

    on: bool = True


class ReadRequest(Lenient):
    """Everything up to this message has been seen."""

    seq: Number


class CsatRequest(Lenient):
    """How satisfied a visitor is."""

    score: int = Field(ge=1, le=5)
    comment: str | None = Field(None, max_length=2000)


class TranscriptLine(Lenient):
    """One message of the conversation so far."""

    author: Literal["visitor", "assistant"]
    text: str = Field(max_length=10_000, examples=["I was charged twice."])


class HandoffRequest(Lenient):
    """A visitor wants a person. Every field is optional: it works as the very first thing a visitor does."""

    conversation_id: ConversationId | None = Field(
        None, description="Asking again in one conversation adds to its request.", examples=["c-8f14e45f"]
    )
    turn_id: UUID | None = Field(
        None,
        description="The turn beside which the person was offered.",
        examples=["0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"],
    )
    reason: str | None = Field(None, max_length=200, description="Why, for programs.", examples=["high_stakes"])
    email: Email | None = Field(None, description="Where the answer should go.", examples=["ada@example.com"])
    message: str | None = Field(
        None, max_length=4000, description="What the visitor wants to say.", examples=["I was charged twice in May."]
    )
    transcript: list[TranscriptLine] = Field(
        [],
        max_length=100,
        description="What the client says was said so far, oldest first. The desk shows the server's own records; "
        "these lines are shown only where there are none, as said by the visitor, and are never mailed.",
    )
    lang: Language | None = Field(None, description="Language of the visitor, for the message.", examples=["en"])
    context_token: ContextToken = None
    context: Said = Field({})


class HandoffResponse(BaseModel):
    """The request is on record."""

    reference: str = Field(
        pattern=r"^HR-[2-9A-HJKMNP-TV-Z]{6}$", description="Short enough for the phone.", examples=["HR-7K2M9Q"]
    )
    status: Literal["recorded"]
    message: str = Field(
        description="What to tell the visitor.",
        examples=["We've saved your request. A person replies within one working day."],
    )
    conversation_id: str = Field(description="Where it is answered; go on with it.", examples=["c-8f14e45f"])


class Degraded(BaseModel):
    """A part that does not work as configured, while questions are answered without it."""

    part: str = Field(description="The part, or the task of a language model.", examples=["answer"])
    reason: str = Field(examples=["llm (gpt-5-mini) fails at the task answer: it can't be reached"])
    since: datetime = Field(description="When it was first seen.", examples=["2026-03-02T09:00:00Z"])


class Readiness(BaseModel):
    """Whether questions can be answered now, part by part."""

    ready: bool
    status: Literal["ok", "degraded", "paused", "not_ready"] = Field(
        description="`degraded`: questions are answered, but not as configured; `degraded` says why. `paused`: the "
        "desk has paused the assistant, and questions get the routing `unavailable`."
    )
    paused: bool = Field(description="Whether the assistant is paused, also where it isn't ready.")
    degraded: list[Degraded] = Field(description="What does not work as configured, the longest first.", examples=[[]])
    checks: dict[str, str] = Field(
        description="`ok`, `loading`, or what is wrong, also where questions are answered regardless.",
        examples=[{"models": "ok", "index": "ok", "records": "ok", "limits": "ok", "disk": "ok"}],
    )


class Health(BaseModel):
    """The process is alive."""

    status: Literal["ok"]
    version: str = Field(examples=["0.1.0"])


class ErrorDetail(BaseModel):
    """What to change, and where."""

    field: str = Field(examples=["email"])
    message: str = Field(examples=["Write an e-mail address such as name@example.com, or leave it out."])


class ErrorBody(BaseModel):
    """A refusal."""

    code: str = Field(description="For programs; stable.", examples=["validation"])
    message: str = Field(description="For people: what to change, or when to come back.")
    details: list[ErrorDetail] | None = None
    retry_after_s: int | None = Field(
        None, ge=1, description="Seconds until trying again makes sense; also in Retry-After."
    )


class ErrorResponse(BaseModel):
    """The body of every response that is not a success."""

    error: ErrorBody
    request_id: str = Field(description="Also in the X-Request-ID header; names the request in the log.")
