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
    {"name": "operation", "description": "For load balancers and monitoring."},
]

ERRORS: dict[int, tuple[str, str, str]] = {
    404: ("There is nothing here.", "not_found", "There is nothing at this address."),
    409: (
        "The turn id was used for something else.",
        "turn_conflict",
        "This turn_id belongs to another question or another conversation. Send a new turn_id with a new question.",
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
        "You have asked a lot in a short time. You can ask again in 41 seconds.",
    ),
    500: (
        "Our mistake.",
        "internal",
        "Something went wrong on our side. Try again, and name the request id if it happens again.",
    ),
    503: (
        "Not now: `busy`, `not_ready`, `limits_unavailable` or `records_unavailable`.",
        "busy",
        "A lot of people are asking at once. Please try again in a moment.",
    ),
}
WAITS = {429: 41, 503: 2}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declarations of error responses for a route."""
    return {status: _failure(status) for status in (*statuses, 500)}


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
