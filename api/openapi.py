"""What the published description says beyond the code: prose, errors, and bounds that come from settings."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api.schemas import ErrorResponse
from handrail.settings import Settings

DESCRIPTION = """Answers from your own help articles, with evidence, and a person when it takes one.

A refusal to answer is a result and comes with status 200; `routing` and `refusal_reason` say what it is. Everything
else that is not a success has the same shape: `{"error": {"code", "message"}, "request_id"}`.
"""

TAGS: list[dict[str, Any]] = [
    {"name": "conversation", "description": "Questions, answers, and requests for a person."},
    {"name": "widget", "description": "What the chat widget needs to show itself."},
    {"name": "decisions", "description": "Typed questions answered by the local model; off without a key."},
    {"name": "operation", "description": "For load balancers and monitoring."},
]

ERRORS: dict[int, tuple[str, str, str]] = {
    401: (
        "The visitor token is not valid, or has run out.",
        "token_expired",
        "The visitor token has expired. POST it to /visitor to get a new one.",
    ),
    404: ("There is nothing here.", "not_found", "Nothing was found at this address."),
    408: (
        "The body did not arrive in time.",
        "too_slow",
        "The request took longer than 20 seconds. Send it again.",
    ),
    409: (
        "The turn id was used for something else.",
        "turn_conflict",
        "This turn_id belongs to another question or conversation. Send a new turn_id with each new question.",
    ),
    413: ("The body is too large.", "too_large", "The request has more than 1048576 bytes. Shorten what you send."),
    415: (
        "The body is not JSON.",
        "unsupported_media_type",
        "Send the body as JSON, with the header Content-Type: application/json.",
    ),
    422: ("Something in the request must be changed.", "validation", "question: The text is empty. Write a question."),
    429: (
        "A limit is used up.",
        "rate_limited",
        "You've asked a lot of questions in a short time. You can ask again in 41 seconds.",
    ),
    500: (
        "Our mistake.",
        "internal",
        "Something went wrong on our side. Please try again. If it keeps happening, report the request id.",
    ),
    503: (
        "Not now: `busy`, `not_ready`, `limits_unavailable` or `records_unavailable`.",
        "busy",
        "A lot of people are asking questions at the moment. Please try again shortly.",
    ),
}
WAITS = {429: 41, 503: 2}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declarations of error responses for a route."""
    return {status: _failure(status) for status in (*statuses, 500)}


EVENTS = """id: 1
data: {"type":"start","messageId":"0b8f3a52-4a55-4f0e-9d39-3f3b2c1f5a11"}

id: 2
data: {"type":"data-stage","data":{"name":"retrieve"},"transient":true}

id: 3
data: {"type":"text-start","id":"c1"}

id: 4
data: {"type":"text-delta","id":"c1","delta":"Open **Settings** and choose **Domains** [1]."}

id: 5
data: {"type":"text-end","id":"c1"}

: keep-alive

id: 6
data: {"type":"data-outcome","id":"outcome","data":{"answer":"…","routing":"answered"}}

id: 7
data: {"type":"finish","finishReason":"stop"}

id: 8
data: [DONE]
"""
EVENT = {
    "type": "object",
    "description": "One event.",
    "properties": {
        "id": {"type": "string", "description": "Its number, from 1; send the last one as `Last-Event-ID` to go on."},
        "data": {"type": "string", "description": "A part of the message as JSON, or `[DONE]`."},
    },
    "required": ["id", "data"],
}
PARTS = """Parts `start`, `data-stage`, `data-draft`, `text-start`, `text-delta`, `text-end` (one text per claim),
`data-citations`, `data-verification`, `data-handoff`, `data-outcome`, `finish`; `abort` when the turn was stopped,
`error` only for failures. `data-draft` is all of the claim that is being written, unchecked; an empty text takes it
away. `data-outcome` is what `/ask` returns, with `pieces`, `closest` and `requests`; it replaces the text. Comments
keep the connection open. Join the texts in order for the answer's Markdown; a claim that `data-verification` gives a
`replacement` for is replaced by it, or withdrawn when that is empty."""
STREAM_HEADERS = {
    "x-vercel-ai-ui-message-stream": {"description": "The format: `v1`.", "schema": {"type": "string"}},
}


def streams_events() -> dict[int | str, dict[str, Any]]:
    """Declaration of a response that is a stream of events."""
    return {
        200: {
            "description": PARTS,
            "content": {"text/event-stream": {"schema": EVENT, "example": EVENTS}},
            "headers": STREAM_HEADERS,
        }
    }


def refine(app: FastAPI, settings: Settings) -> None:
    """Publish the bounds that this installation really has."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes, tags=TAGS
            )
            question = schema["components"]["schemas"]["AskRequest"]["properties"]["question"]
            question["maxLength"] = settings.server.max_question_chars
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign]


def _failure(status: int) -> dict[str, Any]:
    description, code, message = ERRORS[status]
    wait = {"retry_after_s": WAITS[status]} if status in WAITS else {}
    example = {"error": {"code": code, "message": message, **wait}, "request_id": "5f0c9e2b7d1a4c33"}
    declared: dict[str, Any] = {
        "model": ErrorResponse,
        "description": description,
        "content": {"application/json": {"example": example}},
    }
    if status in WAITS:
        declared["headers"] = {
            "Retry-After": {"description": "Seconds until trying again makes sense.", "schema": {"type": "integer"}}
        }
    return declared
